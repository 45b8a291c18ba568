"""Several looks at data that grow: when it is decided, and at which level each time.

A verdict that may come at any of several looks is wrong more often than a verdict at one look. So each look decides
with a share of the 5 %, and the shares add up to 5 % (Bonferroni's inequality). The bounds of Pocock, of O'Brien and
Fleming and of Lan and DeMets need fewer runs (C. Jennison and B. W. Turnbull, Group Sequential Methods with
Applications to Clinical Trials, 2000), but they assume means that are normal with a known variance, and the first looks
here have three to twenty runs. Bonferroni's inequality asks only that the test of each look keeps its level.
"""

from __future__ import annotations

from dataclasses import dataclass

SIGNIFICANCE = 0.05
"""Largest p-value at which something counts as shown; several looks share it."""

FIRST_SHARE = 0.6
"""Part of the 5 % that the first look has: few runs need the most. The others have equal parts of what is left."""


@dataclass(frozen=True)
class Look:
    """One time at which it is decided whether more runs are needed.

    Attributes
    ----------
    runs : int
        Runs of each scenario by then.
    level : float
        Largest p-value at which something counts as shown.
    """

    runs: int
    level: float


def plan(first: int, most: int) -> list[Look]:
    """Return the looks: after `first` runs, after twice as many, and so on up to `most`."""
    counts = [first]
    while counts[-1] < most:
        counts.append(min(2 * counts[-1], most))
    if len(counts) == 1:
        return [Look(first, SIGNIFICANCE)]
    rest = (1.0 - FIRST_SHARE) / (len(counts) - 1)
    return [Look(runs, SIGNIFICANCE * (rest if index else FIRST_SHARE)) for index, runs in enumerate(counts)]
