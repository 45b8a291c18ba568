"""The chart of a run over time: windows with marks and strips, queues, and goodput."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from manypath.explore.charts.stack import Stack
from manypath.explore.charts.theme import DECALS, GREY, LINES, Option, Theme, nice, smooth
from manypath.explore.moves import Answer, Mark
from manypath.figures.style import COLOURS


@dataclass(frozen=True)
class Trace:
    """What is drawn over time, of a run or of an event log.

    Attributes
    ----------
    paths, links : DataFrame
        Samples of paths and of links, as in `Result.series`; columns may be missing.
    marks : list of Mark
        Losses, timeouts and retransmissions.
    end : float
        End of the axis, seconds.
    since : float
        Start of the measurement, seconds.
    """

    paths: pd.DataFrame
    links: pd.DataFrame
    marks: list[Mark]
    end: float
    since: float = 0.0

    @classmethod
    def of(cls, answer: Answer) -> Trace:
        """Return the trace of a run; only links on forward paths have a curve."""
        series = answer.result.series
        crossed = {link for path in answer.scenario.network.paths.values() for link in path.forward}
        links = series["links"]
        warmup = 0.0 if answer.is_partial else answer.scenario.warmup / 1e9
        return cls(series["paths"], links[links["link"].isin(crossed)], answer.marks, answer.whole, warmup)


def course(trace: Trace, theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of each path with its marks and its strip, the queues, and the goodput, over one time axis."""
    rows = _rows(trace)
    chart = Stack(theme, trace.end, narrow=narrow)
    main = _main(trace)
    names = list(dict.fromkeys([*([main] if main is not None else ()), *trace.paths["flow"]]))
    paths = list(dict.fromkeys(trace.paths["path"]))
    for number, path in enumerate(paths[:MOST_PATHS]):
        _windows(chart, trace, path, theme.colour(number), names)
        if path in rows:
            _strip(chart, trace, path, rows[path])
    if len(trace.links):
        chart.grid(110, "queue, packets")
        for number, (link, part) in enumerate(list(trace.links.groupby("link", sort=False))[:MOST_PATHS]):
            chart.line(
                f"queue {link}", part["time"], part["queue"], theme.colour(number), kind=LINES[number % len(LINES)]
            )
    if "goodput" in trace.paths:
        _goodput(chart, trace, paths, names)
    return chart.finished(trace.since)


def _main(trace: Trace) -> str | None:
    """Return the flow whose paths have colours and strips: the first one over several paths, else the first one."""
    pairs = trace.paths[["flow", "path"]].drop_duplicates()
    counts = pairs.groupby("flow", sort=False).size()
    several = counts[counts > 1]
    return str((several if len(several) else counts).index[0]) if len(counts) else None


def _windows(chart: Stack, trace: Trace, path: str, own_colour: str, names: Sequence[str]) -> None:
    """Add the windows of a path: the main flow in the colour of the path, the others in grey."""
    own = trace.paths[trace.paths["path"] == path]
    chart.grid(120, f"{path}: congestion window, kB")
    # The peak of the first slow start may be much larger than all windows of the measurement.
    steady = own["cwnd"][own["time"] >= trace.since]
    steady = steady if steady.notna().any() else own["cwnd"]
    top = 1.3 * float(steady.max()) / 1e3 if steady.notna().any() else 1.0
    for flow, part in own.groupby("flow", sort=False):
        place = names.index(str(flow))
        if place >= MOST_FLOWS:
            continue
        colour, width = (own_colour, 1.6) if place == 0 else (GREY, 1.1)
        chart.line(f"window of {flow}", part["time"], part["cwnd"] / 1e3, colour, LINES[place % len(LINES)], width)
        threshold = part["ssthresh"].where(part["ssthresh"] / 1e3 <= top) / 1e3
        chart.line(f"ssthresh of {flow}", part["time"], threshold, colour, "dotted", 1.0)
    chart.limit(max(nice(top), 1.0))
    marks = [mark for mark in trace.marks if mark.path == path]
    for name, symbol, colour, height in MARKS:
        chart.marks(
            MARK_NAMES[name],
            [mark for mark in marks if mark.name in name],
            symbol,
            colour,
            height * max(nice(top), 1.0),
        )


def _strip(chart: Stack, trace: Trace, path: str, columns: Sequence[str]) -> None:
    """Add the strip below a path: the share of time during which each limit blocked the main flow."""
    flow = _main(trace)
    own = trace.paths[(trace.paths["path"] == path) & (trace.paths["flow"] == flow)]
    chart.grid(16, f"{path}: what blocks {flow}", gap=18, values=False)
    groups = np.arange(len(own)) // STEP
    time = own["time"].groupby(groups).mean().to_numpy()
    width = float(own["time"].diff().median())
    for column in columns:
        share = (own[column].groupby(groups).mean() / width).clip(0.0, 1.0).to_numpy()
        words, colour, decal = BLOCKS[column]
        chart.bars(words, time, share, colour, decal, f"strip {path}")
    chart.limit(1.0)


def _rows(trace: Trace) -> dict[str, list[str]]:
    """Return for each path the limits that blocked the main flow at some time; empty where the engine has none."""
    known = [column for column in BLOCKS if column in trace.paths]
    if not known or not len(trace.paths):
        return {}
    own = trace.paths[trace.paths["flow"] == _main(trace)]
    found: dict[str, list[str]] = {}
    for path, part in own.groupby("path"):
        if part[known].notna().any(axis=None):
            found[str(path)] = [column for column in known if part[column].sum() > 0.0]
    return found


def _goodput(chart: Stack, trace: Trace, paths: Sequence[str], names: Sequence[str]) -> None:
    """Add the goodput of each flow, and of the main flow over each path, as a moving average."""
    chart.grid(130, "goodput, Mbit/s")
    samples, theme = trace.paths, chart.theme
    for place, flow in enumerate(names[:MOST_FLOWS]):
        own = samples[samples["flow"] == flow]
        total = own.groupby("time")["goodput"].sum()
        chart.line(
            f"goodput of {flow}",
            pd.Series(total.index),
            smooth(total),
            INKS[place % len(INKS)] if place else theme.ink,
            LINES[place % len(LINES)],
            1.8,
        )
        if place == 0 and own["path"].nunique() > 1:
            for number, path in enumerate(paths):
                part = own[own["path"] == path]
                if len(part):
                    chart.line(f"on {path}", part["time"], smooth(part["goodput"]), theme.colour(number), "solid", 1.1)
    again = [mark for mark in trace.marks if mark.name == "recovery:marked_for_retransmit"]
    chart.marks("retransmissions", again, "triangle", COLOURS[3], 0.0)


INKS = (GREY, "#e69f00", "#56b4e9", "#8c6d31", "#cc79a7")
"""Colours of the goodput of the second flow and later ones."""

BLOCKS: dict[str, tuple[str, str, Option]] = {
    "blocked_window": ("blocked by the congestion window", "#56b4e9", DECALS[0]),
    "blocked_split_share": ("blocked by its share of a divided buffer", "#e69f00", DECALS[1]),
    "blocked_receive_window": ("blocked by the peer's receive window", "#cc79a7", DECALS[2]),
    "blocked_send_buffer": ("blocked by the send buffer", "#8c6d31", DECALS[3]),
    "blocked_pacing": ("blocked by pacing", "#009e73", DECALS[0]),
    "blocked_path": ("blocked: the path is down or waits", "#d55e00", DECALS[1]),
}
"""Columns of the engine's series that state what blocked a path, in words, with colour and pattern."""

LOST = ("link:packet_lost", "link:packet_dropped", "link:packet_damaged")
CUT = ("recovery:window_cut",)
EXPIRED = ("recovery:loss_timer_expired",)

CROSS = "path://M2,0L5,3L8,0L10,2L7,5L10,8L8,10L5,7L2,10L0,8L3,5L0,2Z"
"""The symbol of losses."""

MARKS = ((LOST, CROSS, GREY, 0.95), (CUT, "diamond", "#e69f00", 0.85), (EXPIRED, "pin", "#d55e00", 0.9))
"""Marks of a path: their events, symbol, colour, and height as a share of the plot."""

MARK_NAMES = {LOST: "losses", CUT: "fast retransmissions", EXPIRED: "timeouts"}
"""Names of marks in the legend."""

MOST_PATHS = 6
"""Largest number of paths that are drawn."""

MOST_FLOWS = 12
"""Largest number of flows that are drawn."""

STEP = 4
"""Samples per bar of a strip."""
