"""The chart of a run over time: windows with marks and strips, queues, and goodput."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from manypath.explore.charts.samples import Samples, divided, of_flow, summed
from manypath.explore.charts.stack import Stack
from manypath.explore.charts.theme import DECALS, GREY, LINES, Option, Theme, averaged, nice, shortened, smooth
from manypath.explore.moves import Answer, duration
from manypath.figures.style import COLOURS


def course(answer: Answer, theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of each path with its marks and its strip, the queues, and the goodput, over one time axis."""
    return _Course(answer, theme, narrow=narrow).chart()


class _Course:
    """The chart under construction."""

    def __init__(self, answer: Answer, theme: Theme, *, narrow: bool) -> None:
        self._answer = answer
        self._since = 0.0 if answer.is_partial else answer.scenario.warmup / 1e9
        self._stack = Stack(theme, answer.whole, narrow=narrow)
        self._theme = theme
        self._samples = divided(answer.result.series["paths"], ["flow", "path"])
        self._paths = list(dict.fromkeys(path for _, path in self._samples))
        self._main = _main(self._samples)
        self._flows = list(dict.fromkeys([self._main, *(flow for flow, _ in self._samples)]))

    def chart(self) -> Option:
        """Return it."""
        for number, path in enumerate(self._paths[:MOST_PATHS]):
            self._windows(path, self._theme.colour(number))
            own = self._samples.get((self._main, path))
            if own is not None:
                self._strip(path, own)
        self._queues()
        self._goodput()
        return self._stack.finished(self._since)

    def _windows(self, path: str, own_colour: str) -> None:
        """Add the windows of a path: the main flow in the colour of the path, the others in grey; and the marks."""
        own = {flow: part for (flow, on), part in self._samples.items() if on == path}
        self._stack.grid(120, f"{shortened(path)}: congestion window", "kB", legend=True)
        most = 1.3 * self._largest(own.values()) / 1e3
        top = max(nice(most), 1.0)
        beyond: list[tuple[float, str]] = []
        for flow, part in own.items():
            place = self._flows.index(flow)
            if place >= MOST_FLOWS:
                continue
            colour, width = (own_colour, 1.6) if place == 0 else (GREY, 1.1)
            time, window, threshold = part["time"], part["cwnd"] / 1e3, part["ssthresh"] / 1e3
            self._stack.line(
                f"window of {flow} on {path}", time, window, colour, LINES[place % len(LINES)], width, label=flow
            )
            threshold = np.where(threshold <= most, threshold, np.nan)
            name = f"ssthresh of {flow} on {path}"
            self._stack.line(
                name,
                time,
                threshold,
                colour,
                "dotted",
                1.0,
                label=f"{shortened(flow, 27)} ssthresh" if place else "ssthresh",
            )
            beyond += _beyond(flow, path, time, window, top)
        self._stack.limit(top)
        marks = [mark for mark in self._answer.marks if mark.path == path]
        for names, symbol, colour, height in MARKS:
            found = [mark for mark in marks if mark.name in names]
            self._stack.marks(MARK_NAMES[names], found, symbol, colour, height * top)
        self._stack.symbols("window above the plot", beyond, ABOVE, self._theme.ink, top)

    def _largest(self, parts: Iterable[Samples]) -> float:
        """Return the largest window of the measurement, bytes. That of the first slow start may be much larger."""
        windows = [(part["time"], part["cwnd"]) for part in parts]
        steady = np.concatenate([cwnd[time >= self._since] for time, cwnd in windows])
        steady = steady if np.isfinite(steady).any() else np.concatenate([cwnd for _, cwnd in windows])
        return float(np.nanmax(steady)) if np.isfinite(steady).any() else 0.0

    def _strip(self, path: str, own: Samples) -> None:
        """Add the strip below a path: the share of time during which each limit blocked the main flow."""
        self._stack.grid(
            16, f"{shortened(path)}: what blocks {shortened(self._main)}", gap=18, values=False, legend=True
        )
        starts = np.arange(0, len(own["time"]), STEP)
        counts = np.diff(np.append(starts, len(own["time"])))
        time = np.add.reduceat(own["time"], starts) / counts
        for limit, (words, colour, decal) in BLOCKS.items():
            if own[limit].sum() > 0.0:
                # Each sample is a fraction of its interval.
                share = np.add.reduceat(own[limit], starts) / counts
                said = f"{path}, blocked by {words}"
                self._stack.bars(
                    f"blocked by {words}", time, share, colour, decal, f"strip {path}", label=words, said=said
                )
        self._stack.limit(1.0)

    def _queues(self) -> None:
        """Add the queues of the links on forward paths."""
        crossed = {link for path in self._answer.scenario.network.paths.values() for link in path.forward}
        parts = divided(self._answer.result.series["links"], ["link"])
        queues = [(link, part["time"], part["queue"]) for (link,), part in parts.items() if link in crossed]
        self._stack.grid(110, "queue", "packets", legend=True)
        for number, (link, time, queue) in enumerate(queues[:MOST_PATHS]):
            kind = LINES[number % len(LINES)]
            self._stack.line(f"queue {link}", time, queue, self._theme.colour(number), kind, label=link)

    def _goodput(self) -> None:
        """Add the goodput of each flow, and of the main flow over each path, as a moving average."""
        shown = duration(self._answer.scenario)
        self._stack.grid(130, averaged("goodput", shown), "Mbit/s", legend=True)
        for place, flow in enumerate(self._flows[:MOST_FLOWS]):
            own = of_flow(self._samples, flow)
            time = next(iter(own.values()))["time"]
            total = summed(list(own.values()), "goodput")
            # A rival is grey, as its windows are.
            ink, kind = INKS[(place - 1) % len(INKS)] if place else self._theme.ink, LINES[place % len(LINES)]
            self._stack.line(f"goodput of {flow}", time, smooth(total), ink, kind, 1.8, label=flow)
            if place == 0 and len(own) > 1:
                for path, part in own.items():
                    colour = self._theme.colour(self._paths.index(path))
                    name, rate = f"goodput of {flow} on {path}", smooth(part["goodput"])
                    self._stack.line(name, time, rate, colour, "solid", 1.1, label=f"on {path}")
        again = [mark for mark in self._answer.marks if mark.name == "recovery:marked_for_retransmit"]
        self._stack.marks("retransmissions", again, "triangle", COLOURS[3], 0.0)


def _beyond(
    flow: str, path: str, time: NDArray[np.float64], window: NDArray[np.float64], top: float
) -> list[tuple[float, str]]:
    """Return the time and the text of the largest window that is above a plot; nothing if none is."""
    most = float(np.nanmax(window, initial=0.0))
    if most <= top:
        return []
    at = float(time[np.nanargmax(window)])
    return [(at, f"{at:.3f} s, {flow} on {path}: the largest window is {most:.4g} kB, above the plot")]


def _main(parts: Iterable[tuple[str, ...]]) -> str:
    """Return the flow whose paths have colours and strips: the first one over several paths, else the first one."""
    flows = [flow for flow, _ in parts]
    return next((flow for flow in flows if flows.count(flow) > 1), flows[0])


INKS = (GREY, "#e69f00", "#56b4e9", "#8c6d31", "#cc79a7")
"""Colours of the goodput of the second flow and later ones."""

BLOCKS: dict[str, tuple[str, str, Option]] = {
    "blocked_window": ("the congestion window", "#56b4e9", DECALS[0]),
    "blocked_split_share": ("its share of a divided buffer", "#e69f00", DECALS[1]),
    "blocked_receive_window": ("the peer's receive window", "#cc79a7", DECALS[2]),
    "blocked_send_buffer": ("the send buffer", "#8c6d31", DECALS[3]),
    "blocked_pacing": ("pacing", "#009e73", DECALS[0]),
    "blocked_path": ("a path that is down or waits", "#d55e00", DECALS[1]),
}
"""Columns of the engine's series that state what blocked a path: the words after *blocked by*, colour and pattern."""

LOST = ("link:packet_lost", "link:packet_dropped", "link:packet_damaged")
CUT = ("recovery:window_cut",)
EXPIRED = ("recovery:loss_timer_expired",)

CROSS = "path://M2,0L5,3L8,0L10,2L7,5L10,8L8,10L5,7L2,10L0,8L3,5L0,2Z"
"""The symbol of losses."""

ABOVE = "path://M5,0L10,6L8,8L5,4L2,8L0,6Z"
"""The symbol of values above the plot."""

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
