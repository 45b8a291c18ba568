"""The chart that compares congestion controls: side by side, or overlaid."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from manypath.explore.charts.stack import Stack
from manypath.explore.charts.theme import LINES, Option, Theme, nice, smooth
from manypath.explore.moves import Answer
from manypath.explore.state import State


def comparison(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of the multipath flow under several congestion controls, in the view of the state."""
    return (_overlaid if state.is_overlaid else _side_by_side)(state, answers, theme, narrow=narrow)


def _side_by_side(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return one plot for each congestion control, all with the same scale; a curve for each path."""
    chart = Stack(theme, _end(answers), narrow=narrow, top=36, columns=1 if narrow else 2)
    top = max(_top(_own(state, answer), answer) for answer in answers.values())
    for cc, answer in answers.items():
        chart.grid(130, f"{cc}: congestion window, kB")
        for place, (path, part) in enumerate(_own(state, answer).groupby("path", sort=False)):
            chart.line(f"window on {path}", part["time"], part["cwnd"] / 1e3, theme.colour(place), LINES[place % 5])
        chart.limit(top)
    return chart.finished(0.0)


def _overlaid(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return one plot for each path and one for the goodput; a curve for each congestion control."""
    chart = Stack(theme, _end(answers), narrow=narrow, top=36)
    first = _own(state, next(iter(answers.values())))
    for path in dict.fromkeys(first["path"]):
        chart.grid(130, f"{path}: congestion window, kB")
        top = 1.0
        for place, (cc, answer) in enumerate(answers.items()):
            own = _own(state, answer)
            part = own[own["path"] == path]
            top = max(top, _top(part, answer))
            chart.line(cc, part["time"], part["cwnd"] / 1e3, theme.colour(place), LINES[place % len(LINES)])
        chart.limit(top)
    for flow in (state.multipath, state.rival):
        if flow is None:
            continue
        chart.grid(110, f"goodput of {flow}, Mbit/s")
        for place, (cc, answer) in enumerate(answers.items()):
            samples = answer.result.series["paths"]
            total = samples[samples["flow"] == flow].groupby("time")["goodput"].sum()
            chart.line(cc, total.index, smooth(total), theme.colour(place), LINES[place % len(LINES)])
    return chart.finished(0.0)


def _own(state: State, answer: Answer) -> pd.DataFrame:
    """Return the samples of the multipath flow."""
    samples = answer.result.series["paths"]
    return samples[samples["flow"] == state.multipath]


def _top(samples: pd.DataFrame, answer: Answer) -> float:
    """Return the top of the axis of windows in kB: above those of the measurement, not of the first slow start."""
    steady = samples["cwnd"][samples["time"] >= answer.scenario.warmup / 1e9].max()
    return max(nice(1.1 * float(steady) / 1e3), 1.0) if steady > 0 else 1.0


def _end(answers: Mapping[str, Answer]) -> float:
    return max(answer.whole for answer in answers.values())
