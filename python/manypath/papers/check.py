"""What came out of checking one statement against measured numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["holds", "fails", "open"]
"""`open` is for a statement that the paper does not specify well enough to be run."""


@dataclass(frozen=True)
class Check:
    """The outcome of a predicate, or of several that must all hold.

    Attributes
    ----------
    verdict : Verdict
        Whether the statement holds.
    measured : str
        What was measured, with 95 % intervals.
    expected : str
        What had to be measured for the statement to hold, tolerance included.
    runs : int
        Replications behind the smallest sample.
    why : str
        The cause where the verdict is not `holds`; else empty.
    parts : tuple of Check
        The checks that must all hold, where there are several.
    what, unit : str
        What was measured, in which unit, where there are no parts.
    slack : mapping
        At each point how far each replication is on the side that the statement needs, in `unit`.
    missed : tuple
        The points at which the statement does not hold.
    """

    verdict: Verdict
    measured: str
    expected: str
    runs: int
    why: str = ""
    parts: tuple[Check, ...] = ()
    what: str = ""
    unit: str = ""
    slack: Mapping[Any, NDArray[np.float64]] = field(default_factory=dict, repr=False, compare=False)
    missed: tuple[Any, ...] = ()

    def leaves(self) -> list[Check]:
        """Return the checks that compare numbers: the parts, or this one."""
        return [leaf for part in self.parts for leaf in part.leaves()] if self.parts else [self]

    @property
    def holds(self) -> bool:
        """Whether the verdict is `holds`."""
        return self.verdict == "holds"

    def because(self, why: str) -> Check:
        """Return the same outcome with its cause."""
        return replace(self, why=why)


def all_of(*checks: Check) -> Check:
    """Join checks that must all hold; an open one keeps the whole open unless another fails."""
    verdicts = {check.verdict for check in checks}
    verdict: Verdict = "fails" if "fails" in verdicts else "open" if "open" in verdicts else "holds"
    return Check(
        verdict=verdict,
        measured="; ".join(
            check.measured if check.holds else f"{check.measured} [{check.verdict}]" for check in checks
        ),
        expected="; ".join(check.expected for check in checks),
        runs=min(check.runs for check in checks),
        parts=checks,
    )
