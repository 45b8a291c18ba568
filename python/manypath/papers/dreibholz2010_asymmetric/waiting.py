"""The reasons why the fast path cannot send new data."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import CMT, FIRST
from manypath.rows import Outcome


def waited(outcome: Outcome, *reasons: str) -> float:
    """Return the fast path's waiting time with these reasons, s."""
    blocked = outcome["flows"][CMT]["paths"][FIRST]["blocked"]
    return float(sum(blocked[reason] for reason in reasons))


def share(outcome: Outcome, reason: str) -> float:
    """Return the part of the fast path's waiting time with this reason; 0 if it never waits."""
    blocked = outcome["flows"][CMT]["paths"][FIRST]["blocked"]
    return blocked[reason] / (sum(blocked.values()) or 1.0)
