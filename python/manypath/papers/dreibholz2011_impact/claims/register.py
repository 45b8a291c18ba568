"""The decorator that registers this paper's claims, a limit, and the common change of those about the three goals."""

from __future__ import annotations

from manypath.papers.claim import Claims
from manypath.papers.history import READ_AGAIN, Revised
from manypath.papers.verdict import Verdict

claim = Claims()

SLOW = 0.25
"""Growth that is slow, segments per window: a quarter of that of an uncoupled path."""


def goals_of_the_text(verdict: Verdict, *, third: bool = True) -> Revised:
    """Return the change of a claim about the goals, with its published verdict before."""
    balance = ", and the third asks for balanced congestion on all paths" if third else ""
    return Revised(
        READ_AGAIN,
        "goals 1 and 2 with a tolerance of 10 %" + (", goal 3 as a lower rate on the shared path" if third else ""),
        "goals 1 and 2 with 15 %" + (", goal 3 as loss rates that differ less than under plain CMT" if third else ""),
        "VI-B.2 calls the goals fulfilled where rates are almost equal, for which C-000-23 allows 15 %" + balance,
        verdict,
    )
