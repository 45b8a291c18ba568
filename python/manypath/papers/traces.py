"""What the window curves of one path say: where it was cut, how fast it grew, how large it became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]


@dataclass(frozen=True)
class PathTrace:
    """Windows of one path of one association, sampled at even intervals.

    Attributes
    ----------
    time : array
        Seconds since the run began.
    cwnd, ssthresh : array
        Congestion window and slow-start threshold, bytes.
    goodput : array
        Payload delivered over this path since the sample before, bit/s.
    srtt : array
        Smoothed round-trip time, seconds.
    throughput : array
        Whole packets with data that the sender put on this path since the sample before, bit/s.
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
        """Return the indices of the samples just after a loss cut the window.

        A loss sets the threshold and puts the window on it (or on one unit after a timeout). Burst mitigation lowers
        the window too, but leaves the threshold alone.
        """
        fell = np.diff(self.cwnd) < 0.0
        moved = np.diff(self.ssthresh) != 0.0
        on_threshold = self.cwnd[1:] == self.ssthresh[1:]
        return np.flatnonzero(fell & (moved | on_threshold)) + 1

    def settled(self) -> PathTrace:
        """Return the part after the first cut: without the first slow start into an empty network."""
        cuts = self.cuts()
        start = int(cuts[0]) if len(cuts) else len(self.time)
        return self.part(slice(start, None))

    def fast_cut_depths(self) -> Column:
        """Return for each cut that left the window on its threshold the part of the window that it took away."""
        cuts = self.cuts()
        fast = cuts[self.cwnd[cuts] == self.ssthresh[cuts]]
        return 1.0 - self.cwnd[fast] / self.cwnd[fast - 1]

    def growth_per_window(self, *, above_threshold: bool = False) -> float:
        """Return the bytes that the window gains while one window of payload is delivered; NaN if nothing was.

        Parameters
        ----------
        above_threshold : bool
            Count only samples in congestion avoidance.
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
        For each link the packets waiting, sampled at the times of the path traces.
    weights : dict
        For each (flow, path) how many standard TCPs it is worth, at the same times; NaN where its control has none.
    """

    paths: dict[tuple[str, str], PathTrace]
    queues: dict[str, Column]
    weights: dict[tuple[str, str], Column] = field(default_factory=dict)

    def fullest_queue_before_cuts(self, flow: str, path: str, link: str, lookback: float) -> Column:
        """Return for each cut of a path the largest queue of a link in the `lookback` seconds up to it."""
        trace = self.paths[flow, path]
        queue = self.queues[link]
        starts = np.searchsorted(trace.time, trace.time - lookback)
        return np.array([queue[starts[cut] : cut + 1].max() for cut in trace.cuts()], dtype=np.float64)


def trace_of(columns: Mapping[str, NDArray[Any]]) -> Trace:
    """Take the window curves and queues out of the samples of one run, as the engine gives them."""
    times = columns["paths.time"]
    width = int(np.count_nonzero(times == times[0]))
    paths = {
        (str(columns["paths.flow"][row]), str(columns["paths.path"][row])): PathTrace(
            time=times[row::width],
            cwnd=columns["paths.cwnd"][row::width],
            ssthresh=columns["paths.ssthresh"][row::width],
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
    """Return the mean, or NaN where there is nothing to average."""
    return float(values.mean()) if len(values) else float("nan")
