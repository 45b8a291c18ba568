"""Window curves of paths, and measures of them: cuts, growth and size of the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]


@dataclass(frozen=True)
class PathTrace:
    """Windows of one path of one association, sampled at equal intervals.

    Attributes
    ----------
    time : array
        Time since the start of the run, seconds.
    cwnd, ssthresh : array
        Congestion window and slow-start threshold, bytes; the threshold is infinite before the path has one.
    goodput : array
        Payload delivered over this path since the previous sample, bit/s.
    srtt : array
        Smoothed round-trip time, seconds.
    throughput : array
        Rate of data packets, including headers, sent on this path since the previous sample, bit/s.
    """

    time: Column
    cwnd: Column
    ssthresh: Column
    goodput: Column
    srtt: Column
    throughput: Column

    def part(self, chosen: slice | NDArray[np.bool_]) -> PathTrace:
        """Return some of the samples."""
        return PathTrace(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})

    def cuts(self) -> NDArray[np.intp]:
        """Return the indices of the first samples after a loss reduced the window.

        A loss sets the slow-start threshold, and sets the window to it (after a timeout to one unit). Burst mitigation
        also reduces the window, but does not change the threshold.
        """
        fell = np.diff(self.cwnd) < 0.0
        moved = self.ssthresh[1:] != self.ssthresh[:-1]
        on_threshold = self.cwnd[1:] == self.ssthresh[1:]
        return np.flatnonzero(fell & (moved | on_threshold)) + 1

    def settled(self) -> PathTrace:
        """Return the samples from the first cut on, without the first slow start."""
        cuts = self.cuts()
        start = int(cuts[0]) if len(cuts) else len(self.time)
        return self.part(slice(start, None))

    def fast_cut_depths(self) -> Column:
        """Return the relative reduction of the window at each cut down to the threshold, 0 to 1."""
        cuts = self.cuts()
        fast = cuts[self.cwnd[cuts] == self.ssthresh[cuts]]
        return 1.0 - self.cwnd[fast] / self.cwnd[fast - 1]

    def growth_per_window(self, *, above_threshold: bool = False) -> float:
        """Return the growth of the window per delivered window of payload, in bytes; NaN if nothing was delivered.

        Parameters
        ----------
        above_threshold : bool
            Whether to count only samples in congestion avoidance.
        """
        gains = np.maximum(np.diff(self.cwnd), 0.0)
        windows = self.goodput[1:] / 8.0 * np.diff(self.time) / self.cwnd[:-1]
        counted = self.cwnd[:-1] > self.ssthresh[:-1] if above_threshold else np.ones(len(gains), dtype=bool)
        total = float(windows[counted].sum())
        return float(gains[counted].sum()) / total if total > 0.0 else float("nan")


@dataclass(frozen=True)
class Trace:
    """The window curves of one run.

    Attributes
    ----------
    paths : dict
        A path trace for each (flow, path).
    queues : dict
        Queue length of each link in packets, at the times of the path traces.
    weights : dict
        Weight of each (flow, path) in standard TCP flows, at the same times; NaN for a control without weights.
    """

    paths: dict[tuple[str, str], PathTrace]
    queues: dict[str, Column]
    weights: dict[tuple[str, str], Column] = field(default_factory=dict)

    def fullest_queue_before_cuts(self, flow: str, path: str, link: str, lookback: float) -> Column:
        """Return the largest queue length of a link in the `lookback` seconds before each cut of a path, packets."""
        trace = self.paths[flow, path]
        queue = self.queues[link]
        starts = np.searchsorted(trace.time, trace.time - lookback)
        return np.array([queue[starts[cut] : cut + 1].max() for cut in trace.cuts()], dtype=np.float64)


def trace_of(columns: Mapping[str, NDArray[Any]]) -> Trace:
    """Return the window curves and queue lengths from the engine's columns of samples of one run."""
    times = columns["paths.time"]
    width = int(np.count_nonzero(times == times[0]))
    paths = {
        (str(columns["paths.flow"][row]), str(columns["paths.path"][row])): PathTrace(
            time=times[row::width],
            cwnd=columns["paths.cwnd"][row::width],
            ssthresh=np.nan_to_num(columns["paths.ssthresh"][row::width], nan=np.inf),
            goodput=columns["paths.goodput"][row::width],
            srtt=columns["paths.srtt"][row::width],
            throughput=columns["paths.throughput"][row::width],
        )
        for row in range(width)
    }
    weights = {key: columns["paths.weight"][row::width] for row, key in enumerate(paths)}
    links = int(np.count_nonzero(columns["links.time"] == columns["links.time"][0]))
    queues = {str(columns["links.link"][row]): columns["links.queue"][row::links] for row in range(links)}
    return Trace(paths, queues, weights)


def mean_or_nan(values: NDArray[Any]) -> float:
    """Return the mean; NaN for an empty array."""
    return float(values.mean()) if len(values) else float("nan")
