"""The chart of a flow and of links from a log: what its events have, over one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from manypath.explore.charts.course import BLOCKS, MARK_NAMES, MARKS
from manypath.explore.charts.stack import Stack
from manypath.explore.charts.theme import GREY, LINES, Option, Theme, nice, shortened
from manypath.explore.live.curve import RECENT, Floats, Spent, Total
from manypath.explore.live.flow import OTHER, End, Flow
from manypath.explore.live.log import Log
from manypath.explore.moves import Mark
from manypath.figures.style import COLOURS


@dataclass(frozen=True)
class View:
    """The part of a log that a tab shows.

    Attributes
    ----------
    flow : str
        Name of the flow; empty for the first one.
    begin, end : float
        The time that is shown, seconds.
    """

    flow: str
    begin: float
    end: float

    @property
    def edges(self) -> Floats:
        """Bounds of the intervals of rates and of strips."""
        # Sums are known at the ends of recent spans, so that shorter intervals would be empty or double.
        count = int((self.end - self.begin) / (2 * RECENT))
        return np.linspace(self.begin, self.end, min(max(count, 1), INTERVALS) + 1)


def chosen(log: Log, name: str) -> Flow | None:
    """Return the flow with a name, or else the first one that can be chosen; None without one."""
    return log.flows.get(name) or next(iter(log.listed()), None)


def picture(log: Log, view: View, theme: Theme, *, narrow: bool) -> Option | None:
    """Return the chart of a flow and its links in a log; None if there is nothing to draw."""
    chart = Stack(theme, view.end, narrow=narrow)
    flow = chosen(log, view.flow)
    drawn = False
    if flow is not None:
        drawn = _flow(chart, flow, _others(log, flow), view)
    drawn |= _links(chart, log, view)
    if not drawn:
        return None
    option = chart.finished(0.0)
    for axis in option["xAxis"]:
        axis["min"] = view.begin
        # The ends of the axis move all the time and are no round numbers.
        axis["axisLabel"] = {**axis["axisLabel"], "showMinLabel": False, "showMaxLabel": False}
    for series in option["series"]:
        if series["type"] == "line" and not series["name"].startswith(MEANS):
            series["step"] = "end"
    return option


def missing(log: Log) -> str:
    """Return in words what the events of a log do not have."""
    absent: list[str] = []
    has = log.names.__contains__
    if log.flows:
        if not has("recovery:metrics_updated"):
            absent.append("windows, thresholds and round-trip times (recovery:metrics_updated)")
        if not any(flow.carried(host) for flow in log.flows.values() for host in OTHER):
            absent.append("goodput (transport:packet_sent and transport:packet_received, with data)")
        if not has("recovery:sending_blocked"):
            absent.append("what blocks each path (recovery:sending_blocked, of SCTP on real sockets)")
        if not any(name.startswith("link:") for name in log.names):
            absent.append("losses on links (link:packet_lost and link:packet_dropped, of simulations)")
    if not log.links:
        absent.append("queues (link:metrics_updated, of emulations)")
    if log.links and not log.flows:
        absent.append("flows: the log is of links only")
    return f"Not in this log: {'; '.join(absent)}." if absent and log.events else ""


def _others(log: Log, flow: Flow) -> list[Flow]:
    """Return the other flows on the paths of a flow, those with the latest events first."""
    paths = set(flow.paths)
    others = [each for each in log.listed() if each is not flow and paths & set(each.paths)]
    return sorted(others, key=lambda each: -each.latest)[:MOST_OTHERS]


def _flow(chart: Stack, flow: Flow, others: Sequence[Flow], view: View) -> bool:
    """Add the windows, the strips, the round-trip times and the goodput of a flow; return whether there are any."""
    hosts = flow.shown()
    marks = flow.marked(view.begin, view.end)
    rivals = [(other, host) for other in others for host in other.shown()]
    drawn = False
    for number, path in enumerate(flow.paths[:MOST_PATHS]):
        own = [(host, flow.sides[host].paths[path]) for host in hosts if path in flow.sides[host].paths]
        if any("cwnd" in end.curves for _, end in own):
            _windows(chart, path, own, [mark for mark in marks if mark.path == path], chart.theme.colour(number), view)
            for other, host in rivals:
                if path in other.sides[host].paths:
                    curve = _Curve(f"window of {other.name} on {path}", other.name, "cwnd", 1e-3)
                    _line(chart, curve, other.sides[host].paths[path], GREY, "solid", 1.0, view)
            drawn = True
        for _, end in own:
            if end.blocked:
                _strip(chart, path, end.blocked, view)
    drawn |= _round_trips(chart, flow, hosts, view)
    drawn |= _goodput(chart, flow, [mark for mark in marks if not mark.path], view)
    return drawn


def _windows(
    chart: Stack, path: str, own: Sequence[tuple[str, End]], marks: Sequence[Mark], colour: str, view: View
) -> None:
    """Add the windows and thresholds of a path, and its marks."""
    chart.grid(PLOT, f"{shortened(path)}: congestion window", "kB", legend=True)
    tops = [end.curves["cwnd"].between(view.begin, view.end)[1].max(initial=0.0) for _, end in own if end.curves]
    top = max(nice(1.3 * max(tops, default=0.0) / 1e3), 1.0)
    for place, (host, end) in enumerate(own):
        at = f" at the {host}" if len(own) > 1 else ""
        window, threshold = (
            _Curve(f"{name}{at} on {path}", f"{name}{at}", metric, 1e-3)
            for name, metric in (("window", "cwnd"), ("ssthresh", "ssthresh"))
        )
        _line(chart, window, end, colour, LINES[place], 1.6, view)
        _line(chart, threshold, end, colour, "dotted", 1.0, view, top)
    chart.limit(top)
    for names, symbol, ink, height in (*MARKS, CHANGED):
        found = [mark for mark in marks if mark.name in names]
        if found:
            chart.marks(MARK_NAMES.get(names, "changes of the path"), found, symbol, ink, height * top)


class _Curve(NamedTuple):
    """A metric of a path as a curve: its name, its label in the legend of the plot, and its unit in base units."""

    name: str
    label: str
    metric: str
    unit: float


def _line(
    chart: Stack, curve: _Curve, end: End, colour: str, kind: object, width: float, view: View, most: float = np.inf
) -> None:
    """Add a metric of a path as steps. Values above `most` are left out."""
    if curve.metric in end.curves:
        times, values = end.curves[curve.metric].between(view.begin, view.end)
        values = np.where(values * curve.unit <= most, values * curve.unit, np.nan)
        chart.line(curve.name, times, values, colour, kind, width, label=curve.label)


def _strip(chart: Stack, path: str, blocked: dict[str, Spent], view: View) -> None:
    """Add the strip of a path: the share of time during which each limit stopped new data."""
    chart.grid(16, f"{shortened(path)}: what blocks new data", gap=18, values=False, legend=True)
    edges = view.edges
    middles = (edges[1:] + edges[:-1]) / 2
    for column, (words, colour, decal) in BLOCKS.items():
        if (limit := column.removeprefix("blocked_")) in blocked:
            name, said = f"blocked by {words}", f"{path}, blocked by {words}"
            shares = blocked[limit].shares(edges)
            chart.bars(name, middles, shares, colour, decal, f"strip {path}", label=words, said=said)
    chart.limit(1.0)


def _round_trips(chart: Stack, flow: Flow, hosts: Sequence[str], view: View) -> bool:
    """Add the smoothed round-trip time of each path."""
    found = [
        (number, path, end)
        for number, path in enumerate(flow.paths[:MOST_PATHS])
        for host in hosts
        if (end := flow.sides[host].paths.get(path)) is not None and "srtt" in end.curves
    ]
    if found:
        chart.grid(80, "smoothed round-trip time", "ms", legend=True)
        for number, path, end in found:
            curve = _Curve(f"RTT of {path}", path, "srtt", 1e3)
            _line(chart, curve, end, chart.theme.colour(number), "solid", 1.3, view)
    return bool(found)


def _goodput(chart: Stack, flow: Flow, marks: Sequence[Mark], view: View) -> bool:
    """Add the goodput in each direction, in total and over each path, and the retransmissions."""
    edges = view.edges
    directions = [(host, flow.carried(host)) for host in OTHER]
    most = max((_sum(totals) for _, totals in directions), default=0.0)
    # The other direction often has some messages of control only.
    directions = [(host, totals) for host, totals in directions if totals and _sum(totals) >= LEAST * most]
    if not directions and not marks:
        return False
    # Marks alone need no height.
    if directions:
        chart.grid(PLOT, "goodput", "Mbit/s", legend=True)
    else:
        chart.grid(16, "retransmissions", values=False)
    middles = (edges[1:] + edges[:-1]) / 2
    for place, (host, totals) in enumerate(directions):
        rates = {path: 8e-6 * total.rates(edges) for path, total in totals.items()}
        to = f" to the {OTHER[host]}" if len(directions) > 1 else ""
        kind = LINES[place]
        total = np.sum(list(rates.values()), axis=0)
        chart.line(f"goodput{to}", middles, total, chart.theme.ink, kind, 1.8, label=f"total{to}")
        for path, rate in rates.items():
            if len(rates) > 1 and path in flow.paths[:MOST_PATHS]:
                colour = chart.theme.colour(flow.paths.index(path))
                chart.line(f"goodput{to} on {path}", middles, rate, colour, kind, 1.1, label=f"{to} on {path}".strip())
    if marks:
        again = [mark for mark in marks if mark.name == "recovery:marked_for_retransmit"]
        chart.marks("retransmissions", again, "triangle", COLOURS[3], 0.0)
    return True


def _sum(totals: Mapping[str, Total]) -> float:
    return sum(total.sum for total in totals.values())


def _links(chart: Stack, log: Log, view: View) -> bool:
    """Add the queues and the rates of links, those that carry most first."""
    links = sorted(log.links.items(), key=lambda each: -each[1].carried.sum)[:MOST_LINKS]
    if not links:
        return False
    edges = view.edges
    middles = (edges[1:] + edges[:-1]) / 2
    chart.grid(PLOT, "queue", "packets", legend=True)
    for number, (name, link) in enumerate(links):
        times, values = link.queue.between(view.begin, view.end)
        kind = LINES[number % len(LINES)]
        chart.line(f"queue of {name}", times, values, chart.theme.colour(number), kind, label=name)
    chart.grid(PLOT, "carried by links", "Mbit/s", legend=True)
    for number, (name, link) in enumerate(links):
        rates = 8e-6 * link.carried.rates(edges)
        kind = LINES[number % len(LINES)]
        chart.line(f"carried by {name}", middles, rates, chart.theme.colour(number), kind, label=name)
    return True


CHANGED = (("connectivity:path_updated",), "rect", "#8c6d31", 0.75)
"""Marks of the changes of a path: events, symbol, colour, and height as a share of the plot."""

MEANS = ("goodput", "carried by")
"""Begins of the names of curves of mean rates. The other values hold until they change."""

LEAST = 0.01
"""Least share of the larger direction that a direction must carry to be drawn."""

INTERVALS = 100
"""Largest number of intervals of rates and of strips."""

PLOT = 120
"""Height of a plot, pixels."""

MOST_PATHS = 6
"""Largest number of paths that are drawn."""

MOST_LINKS = 8
"""Largest number of links that are drawn."""

MOST_OTHERS = 3
"""Largest number of other flows whose windows are drawn."""
