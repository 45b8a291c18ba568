"""Quantities that show whether buffer splitting matters: windows, waiting for a share, slow-start thresholds."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import CMT, FIRST, PACKET, SECOND
from manypath.rows import Outcome


def slow_window(outcome: Outcome) -> float:
    """Return the mean window of the varied path, packets."""
    return outcome["flows"][CMT]["paths"][SECOND]["cwnd"] / PACKET


def waiting_for_share(outcome: Outcome) -> float:
    """Return the time for which full buffer shares blocked the paths, seconds."""
    return sum(path["blocked"]["split_share"] for path in outcome["flows"][CMT]["paths"].values())


def part_of_thresholds(outcome: Outcome) -> float:
    """Return the fast path's part of all slow-start thresholds; it scales the window growth of CMT/RP."""
    paths = outcome["flows"][CMT]["paths"]
    thresholds = {name: path["ssthresh"] or NO_THRESHOLD for name, path in paths.items()}
    return thresholds[FIRST] / sum(thresholds.values())


NO_THRESHOLD = 2.0**32
"""The threshold of a path without one, bytes: larger than any window."""
