"""What buffer splitting finds to do: how large the slow path's window is, and whether a path lacks its share."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import CMT, FIRST, PACKET, SECOND
from manypath.papers.evidence import Outcome


def slow_window(outcome: Outcome) -> float:
    """Return the mean window of the varied path, packets."""
    return outcome["flows"][CMT]["paths"][SECOND]["cwnd"] / PACKET


def waiting_for_share(outcome: Outcome) -> float:
    """Return for how long paths could not send because their shares of the buffers were full, seconds."""
    return sum(path["blocked"]["split_share"] for path in outcome["flows"][CMT]["paths"].values())


def part_of_thresholds(outcome: Outcome) -> float:
    """Return the fast path's part of the slow-start thresholds, by which CMT/RP lets its window grow."""
    paths = outcome["flows"][CMT]["paths"]
    return paths[FIRST]["ssthresh"] / sum(path["ssthresh"] for path in paths.values())
