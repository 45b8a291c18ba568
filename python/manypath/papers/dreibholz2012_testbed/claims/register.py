"""The decorator under which this paper's claims register, what they suspect, and why some of them stay open."""

from __future__ import annotations

from manypath.papers.check import Check
from manypath.papers.claim import Claims

claim = Claims()

SETTINGS = (
    "rival-sack-every-1",
    "sack-every-1",
    "mixed-messages",
    "profile-rfc9260",
    "profile-paper",
    "sack-now-off",
    "sack-first",
)
"""Suspects of every figure: what the authors chose and the paper does not fix, and the messages of [D11]."""


def left_to_the_testbed(expected: str) -> Check:
    """Leave a claim about the measurement open: the paper prints its testbed's results as curves, without numbers.

    Parameters
    ----------
    expected
        What would have to be measured.
    """
    return Check(
        "open",
        measured="nothing yet: a simulation cannot stand in for the measurement",
        expected=expected,
        runs=0,
        why="Withheld: the rates that the paper's testbed (FreeBSD 8.2, DUMMYNET) measured. Figures 3(b) and 4(b) show "
        "them as curves, and no text gives a number. The claim is decided when a real network runs these scenarios.",
    )
