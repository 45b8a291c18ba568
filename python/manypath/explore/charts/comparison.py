"""The chart that compares congestion controls: side by side, or overlaid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from manypath.explore.charts.samples import Samples, divided, of_flow, summed
from manypath.explore.charts.stack import Stack
from manypath.explore.charts.theme import LINES, Option, Theme, averaged, nice, shortened, smooth
from manypath.explore.moves import Answer
from manypath.explore.state import State


def comparison(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of the multipath flow under several congestion controls, in the view of the state."""
    return (_overlaid if state.is_overlaid else _side_by_side)(state, answers, theme, narrow=narrow)


def _side_by_side(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return one plot for each congestion control, all with the same scale; a curve for each path."""
    chart = Stack(theme, _end(answers), narrow=narrow, columns=1 if narrow else 2)
    found = {cc: of_flow(_samples(answer), state.multipath) for cc, answer in answers.items()}
    top = max(_top(own.values(), answers[cc]) for cc, own in found.items())
    for cc, own in found.items():
        chart.grid(130, f"{cc}: congestion window", "kB")
        for place, (path, samples) in enumerate(own.items()):
            colour, kind = theme.colour(place), LINES[place % len(LINES)]
            said = f"{cc}, window on {path}"
            chart.line(f"window on {path}", samples["time"], samples["cwnd"] / 1e3, colour, kind, said=said)
        chart.limit(top)
    return chart.finished(0.0)


def _overlaid(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return one plot for each path and one for the goodput; a curve for each congestion control."""
    chart = Stack(theme, _end(answers), narrow=narrow)
    samples = {cc: _samples(answer) for cc, answer in answers.items()}
    found = {cc: of_flow(every, state.multipath) for cc, every in samples.items()}
    for path in next(iter(found.values())):
        chart.grid(130, f"{shortened(path)}: congestion window", "kB")
        for place, (cc, own) in enumerate(found.items()):
            part, kind, said = own[path], LINES[place % len(LINES)], f"{cc}, window on {path}"
            chart.line(cc, part["time"], part["cwnd"] / 1e3, theme.colour(place), kind, said=said)
        chart.limit(max(_top([own[path]], answers[cc]) for cc, own in found.items()))
    for flow in (state.multipath, state.rival):
        if flow is None:
            continue
        chart.grid(110, averaged(f"goodput of {shortened(flow)}", _end(answers)), "Mbit/s")
        for place, (cc, every) in enumerate(samples.items()):
            own = list(of_flow(every, flow).values())
            kind, said = LINES[place % len(LINES)], f"{cc}, goodput of {flow}"
            chart.line(cc, own[0]["time"], smooth(summed(own, "goodput")), theme.colour(place), kind, said=said)
    return chart.finished(0.0)


def _samples(answer: Answer) -> dict[tuple[str, ...], Samples]:
    return divided(answer.result.series["paths"], ["flow", "path"])


def _top(samples: Iterable[Samples], answer: Answer) -> float:
    """Return the top of the axis of windows in kB: above those of the measurement, not of the first slow start."""
    since = answer.scenario.warmup / 1e9
    steady = max(float(np.nanmax(own["cwnd"][own["time"] >= since], initial=0.0)) for own in samples)
    return max(nice(1.1 * steady / 1e3), 1.0)


def _end(answers: Mapping[str, Answer]) -> float:
    return max(answer.whole for answer in answers.values())
