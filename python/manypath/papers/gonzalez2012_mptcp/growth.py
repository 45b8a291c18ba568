"""The growth of a congestion window between reductions, measured and computed with the paper's formula."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from manypath.papers.gonzalez2012_mptcp.names import SEGMENT
from manypath.papers.traces import Column, PathTrace, mean_or_nan

RECOVERY = 1.0
"""Time after a reduction that is left out, s: fast recovery, at round-trip times of at most 0.4 s."""

SHORTEST = 2.0
"""Shortest period of growth with a measurable slope, s."""

BEFORE, AFTER = 3.0, 1.0
"""Times before and after a reduction of one subflow in which the slope of the other is measured, s.

The sum of the rates is smallest in the second after it, and then grows again.
"""


def climbs(path: PathTrace) -> list[slice]:
    """Return the periods of congestion avoidance: from each reduction, without recovery, to the next reduction.

    Slow start is left out, before the first reduction and after timeouts.
    """
    cuts = path.cuts()
    found: list[slice] = []
    for cut, end in pairwise([*cuts, len(path.time)]):
        start = int(np.searchsorted(path.time, path.time[cut] + RECOVERY))
        chosen = slice(start, int(end))
        long_enough = start < end and path.time[end - 1] - path.time[start] >= SHORTEST
        if long_enough and bool((path.cwnd[chosen] >= path.ssthresh[chosen]).all()):
            found.append(chosen)
    return found


def slope(path: PathTrace, chosen: slice) -> float:
    """Return the slope of the window over time by least squares, packets per second."""
    time, window = path.time[chosen], path.cwnd[chosen] / SEGMENT
    time = time - time.mean()
    return float((time * window).sum() / (time * time).sum())


def slope_per_second(path: PathTrace) -> float:
    """Return the mean slope of all periods of congestion avoidance, weighted by duration, packets per second."""
    return _mean_over_climbs(path, slope)


def slope_per_round_trip(path: PathTrace) -> float:
    """Return the mean product of slope and round-trip time, weighted by duration, packets per round trip."""
    return _mean_over_climbs(path, lambda path, chosen: slope(path, chosen) * float(path.srtt[chosen].mean()))


def mean_window(path: PathTrace) -> float:
    """Return the mean window in congestion avoidance, packets."""
    return _mean_over_climbs(path, lambda path, chosen: float(path.cwnd[chosen].mean()) / SEGMENT)


def linked_increase(paths: list[PathTrace]) -> Column:
    """Return the window increase of the paper's formula at each sample, packets per acknowledged packet.

    It is the largest w/rtt² over the square of the sum of all w/rtt; the sum of all windows cancels out ([G12] eq. 1
    and section 4.2). It is NaN before all subflows are established.
    """
    windows = np.array([np.where(path.cwnd > 0.0, path.cwnd, np.nan) for path in paths]) / SEGMENT
    times = np.array([np.where(path.srtt > 0.0, path.srtt, np.nan) for path in paths])
    return (windows / times**2).max(axis=0) / (windows / times).sum(axis=0) ** 2


def growth_over_formula(path: PathTrace, paths: list[PathTrace]) -> float:
    """Return the ratio of a window's growth to the growth by the formula, for the packets delivered meanwhile.

    Parameters
    ----------
    path, paths
        The subflow, and all subflows.
    """
    increase = np.minimum(linked_increase(paths), SEGMENT / np.maximum(path.cwnd, 1.0))
    gained = computed = 0.0
    for chosen in climbs(path):
        first, last = chosen.start, chosen.stop - 1
        delivered = path.goodput[first + 1 : last + 1] * np.diff(path.time[chosen]) / (8.0 * SEGMENT)
        gained += float(path.cwnd[last] - path.cwnd[first]) / SEGMENT
        computed += float((increase[first:last] * delivered).sum())
    return gained / computed if computed > 0.0 else float("nan")


def bends(cut: PathTrace, other: PathTrace) -> Column:
    """Return the slope of one subflow after each reduction of the other over its slope before.

    Reductions are left out if another reduction, of either subflow, is close to them.
    """
    moments, others = cut.time[cut.cuts()], other.time[other.cuts()]
    growing = np.zeros(len(other.time), dtype=bool)
    for chosen in climbs(other):
        growing[chosen] = True
    found: list[float] = []
    for moment in moments:
        first, last = moment - BEFORE, moment + AFTER
        disturbing = np.concatenate([moments[moments != moment], others])
        before, after = _between(other, first, moment), _between(other, moment, last)
        alone = last <= other.time[-1] and not ((disturbing >= first) & (disturbing <= last)).any()
        if alone and bool(growing[before].all() and growing[after].all()):
            found.append(slope(other, after) / slope(other, before))
    return np.array(found, dtype=np.float64)


def part_that_bends(cut: PathTrace, other: PathTrace) -> float:
    """Return the part of the reductions of one subflow after which the other grows faster than before."""
    return mean_or_nan(bends(cut, other) > 1.0)


def kept_by_the_other(cut: PathTrace, other: PathTrace) -> float:
    """Return the mean ratio of one subflow's window just after a reduction of the other to that just before."""
    indices = cut.cuts()
    indices = indices[(indices > 0) & (indices < len(other.time) - 1)]
    return mean_or_nan(other.cwnd[indices + 1] / other.cwnd[indices - 1])


def _between(path: PathTrace, start: float, end: float) -> slice:
    first, last = np.searchsorted(path.time, [start, end])
    return slice(int(first), int(last))


def _mean_over_climbs(path: PathTrace, measure: Callable[[PathTrace, slice], float]) -> float:
    """Return the mean of a measure in congestion avoidance, weighted by duration; NaN without any period."""
    found = climbs(path)
    lengths: NDArray[np.float64] = np.array([np.ptp(path.time[chosen]) for chosen in found], dtype=np.float64)
    values = np.array([measure(path, chosen) for chosen in found], dtype=np.float64)
    return float((values * lengths).sum() / lengths.sum()) if found else float("nan")
