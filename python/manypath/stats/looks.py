"""Group sequential tests: the numbers of runs at the interim analyses ("looks"), and the level of each look.

Several looks at the same test increase its error probability. So each look has a share of the 5 %, and the shares add
up to 5 % (Bonferroni's inequality). The bounds of Pocock, of O'Brien and Fleming and of Lan and DeMets need fewer runs
(C. Jennison and B. W. Turnbull, Group Sequential Methods with Applications to Clinical Trials, 2000), but they assume
normal means with a known variance, and the first looks here have three to twenty runs. Bonferroni's inequality only
requires that the test of each look keeps its level.
"""

from __future__ import annotations

from dataclasses import dataclass

SIGNIFICANCE = 0.05
"""Significance level of all looks together."""

FIRST_SHARE = 0.6
"""Share of the first look, which has the fewest runs. The other looks have equal shares of the rest."""


@dataclass(frozen=True)
class Look:
    """An interim analysis, which decides whether more runs are needed.

    Attributes
    ----------
    runs : int
        Runs of each scenario at this look.
    level : float
        Significance level of this look.
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
