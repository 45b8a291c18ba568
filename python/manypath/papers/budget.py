"""The runs that would decide an undecided claim, and their processor time."""

from __future__ import annotations

from typing import NamedTuple

from manypath.display import duration
from manypath.papers.causes import Verified
from manypath.papers.evidence import Evidence


class Budget(NamedTuple):
    """The runs that would decide a claim.

    Attributes
    ----------
    runs : int or None
        Estimated number of runs of each case; None for a decided claim, or if no number of runs decides.
    seconds : float or None
        Processor time of the runs that are missing, estimated from that of the others; None without a number of runs,
        0 if the runs are measurements.
    """

    runs: int | None
    seconds: float | None

    def __str__(self) -> str:
        """Describe the budget; empty without a number of runs."""
        if self.runs is None:
            return ""
        if not self.seconds:
            return f"about {self.runs:,} measured runs decide it"
        return f"about {self.runs:,} runs decide it, with {duration(self.seconds)} of further processor time"


def budget_of(item: Verified, evidence: Evidence) -> Budget:
    """Return what it takes to decide a claim that was checked with this evidence."""
    outlook = item.check.outlook
    if outlook is None or outlook.runs is None:
        return Budget(None, None)
    seconds = sum(evidence.cost(case, outlook.runs) for case in item.read)
    return Budget(outlook.runs, float(f"{seconds:.2g}"))
