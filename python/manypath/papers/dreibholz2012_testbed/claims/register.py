"""The decorator that registers the claims of this paper, their suspects, and the check of missing measurements."""

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


def not_measured(expected: str) -> Check:
    """Return an open check for a claim about the testbed whose cases were not measured.

    Parameters
    ----------
    expected
        What has to be measured.
    """
    return Check(
        "open",
        measured="not measured",
        expected=expected,
        runs=0,
        why="Needs measured runs of figures 3 and 4: sudo manypath measure dreibholz2012 --publish FILE.",
    )
