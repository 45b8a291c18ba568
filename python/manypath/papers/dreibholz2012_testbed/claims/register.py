"""The decorator that registers this paper's claims, common suspects, and the check of claims that stay open."""

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
"""Suspects of every figure: the authors' choices that the paper does not fix, and the messages of [D11]."""


def left_to_the_testbed(expected: str) -> Check:
    """Return an open check of a claim about the testbed: the paper prints its results as curves, without numbers.

    Parameters
    ----------
    expected
        The measurement that the claim needs.
    """
    return Check(
        "open",
        measured="nothing: a simulation cannot replace the measurement",
        expected=expected,
        runs=0,
        why="Withheld: the rates that the paper's testbed (FreeBSD 8.2, DUMMYNET) measured. Figures 3(b) and 4(b) show "
        "them as curves, and no text gives a number. Runs of these scenarios in a real network can decide the claim.",
    )
