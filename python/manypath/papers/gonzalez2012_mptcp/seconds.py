"""What the senders put on the links second by second: who is ahead, how even it is, which path is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manypath.papers.gonzalez2012_mptcp.names import MPTCP, PATHS, RIVALS
from manypath.papers.traces import Column, Trace, mean_or_nan

START = 5
"""Seconds at the beginning of a run that are left out where slow start is not meant."""

LONG = 20
"""Seconds over which a rate counts as long-term."""

LEFT = 0.1
"""Part of MPTCP's rate below which a path counts as left."""


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
    """Return what both senders put on a link in each second after the beginning, Mbit/s."""
    both = rates(trace, MPTCP, path) + rates(trace, RIVALS[path], path)
    return both[START:]


def time_ahead(trace: Trace) -> float:
    """Return the part of the time in which a subflow is faster than the TCP connection beside it, mean of both."""
    return float(np.mean([_ahead(trace, path) for path in PATHS]))


def unsteadiness(trace: Trace) -> float:
    """Return how much MPTCP's long-term rate varies within a run: deviation over mean of its parts of 20 s."""
    settled = total(trace)[START:]
    whole = len(settled) // LONG
    parts = settled[: whole * LONG].reshape(whole, LONG).mean(axis=1)
    return float(parts.std(ddof=1) / parts.mean())


def of_the_other_subflow(trace: Trace, *, ahead: bool) -> float:
    """Return the mean rate of a subflow while the one on the other path is ahead of TCP there, or while it is not."""
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
    """Return how often MPTCP left one path after it had left the other: nearly all of its traffic moved."""
    share = _share(trace)
    sides = np.where(share < LEFT, -1, np.where(share > 1.0 - LEFT, 1, 0))
    sides = sides[sides != 0]
    return float(np.count_nonzero(np.diff(sides)))


def gain(trace: Trace, path: str, moment: float, lasting: int = 10) -> float:
    """Return by how much a subflow is faster in the seconds after a moment than in those before, Mbit/s."""
    found, at = rates(trace, MPTCP, path), int(moment)
    return float(found[at : at + lasting].mean() - found[at - lasting : at].mean())


def _ahead(trace: Trace, path: str) -> NDArray[np.bool_]:
    """Tell for each second after the beginning whether the subflow on a path is faster than TCP there."""
    return (rates(trace, MPTCP, path) > rates(trace, RIVALS[path], path))[START:]


def _share(trace: Trace) -> Column:
    """Return the part of MPTCP's rate that the first path carries, in each second after the beginning."""
    whole = total(trace)[START:]
    first = rates(trace, MPTCP, PATHS[0])[START:]
    # A second in which nothing was sent is no news of where traffic goes.
    return first[whole > 0.0] / whole[whole > 0.0]
