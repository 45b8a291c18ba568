"""Throughput at the senders in each second, and measures of it: flapping, unused paths, steadiness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manypath.papers.gonzalez2012_mptcp.names import MPTCP, PATHS, RIVALS
from manypath.papers.traces import Column, Trace, mean_or_nan

START = 5
"""Seconds at the beginning of a run that are left out because of slow start."""

LONG = 20
"""Length of the intervals of a long-term rate, s."""

LEFT = 0.1
"""Part of MPTCP's rate below which a path counts as unused."""


def rates(trace: Trace, flow: str, path: str) -> Column:
    """Return the throughput of a flow on a path in each second, Mbit/s."""
    found = trace.paths[flow, path]
    steps = round(1.0 / (found.time[1] - found.time[0]))
    samples = found.throughput[1:]
    whole = len(samples) // steps
    return samples[: whole * steps].reshape(whole, steps).mean(axis=1) / 1e6


def total(trace: Trace) -> Column:
    """Return the throughput of MPTCP in each second, Mbit/s."""
    return np.sum([rates(trace, MPTCP, path) for path in PATHS], axis=0)


def offered(trace: Trace, path: str) -> Column:
    """Return the throughput of both senders on a link in each second after the beginning, Mbit/s."""
    both = rates(trace, MPTCP, path) + rates(trace, RIVALS[path], path)
    return both[START:]


def time_ahead(trace: Trace) -> float:
    """Return the part of the time in which a subflow is faster than TCP on its link, mean of both links."""
    return float(np.mean([_ahead(trace, path) for path in PATHS]))


def unsteadiness(trace: Trace) -> float:
    """Return the variation of MPTCP's long-term rate within a run: standard deviation over mean, intervals of 20 s."""
    settled = total(trace)[START:]
    whole = len(settled) // LONG
    parts = settled[: whole * LONG].reshape(whole, LONG).mean(axis=1)
    return float(parts.std(ddof=1) / parts.mean())


def of_the_other_subflow(trace: Trace, *, ahead: bool) -> float:
    """Return the mean rate of a subflow while the other subflow is, or is not, faster than TCP on its path, Mbit/s."""
    found = [
        rates(trace, MPTCP, other)[START:][_ahead(trace, path) == ahead]
        for path, other in zip(PATHS, reversed(PATHS), strict=True)
    ]
    return mean_or_nan(np.concatenate(found))


def time_left(trace: Trace) -> float:
    """Return the part of the time in which one path carries less than a tenth of MPTCP's rate."""
    share = _share(trace)
    return float(((share < LEFT) | (share > 1.0 - LEFT)).mean())


def swings(trace: Trace) -> float:
    """Return how many times MPTCP moved nearly all of its traffic from one path to the other."""
    share = _share(trace)
    sides = np.where(share < LEFT, -1, np.where(share > 1.0 - LEFT, 1, 0))
    sides = sides[sides != 0]
    return float(np.count_nonzero(np.diff(sides)))


def gain(trace: Trace, path: str, moment: float, lasting: int = 10) -> float:
    """Return the gain of a subflow: its mean rate in the seconds after a moment less that before, Mbit/s."""
    found, at = rates(trace, MPTCP, path), int(moment)
    return float(found[at : at + lasting].mean() - found[at - lasting : at].mean())


def _ahead(trace: Trace, path: str) -> NDArray[np.bool_]:
    """Return whether the subflow on a path is faster than TCP there, for each second after the beginning."""
    return (rates(trace, MPTCP, path) > rates(trace, RIVALS[path], path))[START:]


def _share(trace: Trace) -> Column:
    """Return the part of MPTCP's rate that the first path carries, in each second after the beginning."""
    whole = total(trace)[START:]
    first = rates(trace, MPTCP, PATHS[0])[START:]
    # Seconds without traffic have no share.
    return first[whole > 0.0] / whole[whole > 0.0]
