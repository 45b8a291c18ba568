"""What came out of checking one statement against measured numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manypath.papers.paired import holm
from manypath.papers.reading import Reading
from manypath.papers.verdict import Hypotheses, Outlook, Verdict, level, worst


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
        Replications behind the smallest sample; 0 where nothing was run.
    why : str
        The cause where the verdict is not `holds`; else empty.
    parts : tuple of Check
        The checks that must all hold, where there are several.
    what, unit : str
        What was measured, in which unit, where there are no parts.
    slack : mapping
        At each point how far each replication is on the side that the statement needs, in `unit`.
    missed : tuple
        The points at which the statement is contradicted; if there is none, those at which it is not shown.
    hypotheses : Hypotheses
        The tests that decided, where there are no parts.
    outlook : Outlook or None
        How many runs decide, where the verdict is `undecided` and that can be estimated.
    points : mapping
        What each point says by itself, at the level of the look that decided.
    measures : mapping
        At each point the measured quantity and its range, where that says more than the slack.
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
    hypotheses: Hypotheses = field(default_factory=lambda: Hypotheses({}), repr=False, compare=False)
    outlook: Outlook | None = None
    points: Mapping[Any, Verdict] = field(default_factory=dict, repr=False, compare=False)
    measures: Mapping[Any, Reading] = field(default_factory=dict, repr=False, compare=False)

    def numbers(self) -> dict[Any, Reading]:
        """Return the points at which a quantity is compared with a number: those whose range has both ends."""
        return {key: reading for key, reading in self.measures.items() if reading.has_band}

    def readings(self) -> dict[Any, Reading]:
        """Return what each point measured beside its range; where a statement compares samples, its slack beside 0."""
        return {key: self.measures.get(key) or Reading(slack) for key, slack in self.slack.items()}

    def leaves(self) -> list[Check]:
        """Return the checks that compare numbers: the parts, or this one."""
        return [leaf for part in self.parts for leaf in part.leaves()] if self.parts else [self]

    @property
    def holds(self) -> bool:
        """Whether the verdict is `holds`."""
        return self.verdict == "holds"

    @property
    def contradicted(self) -> bool:
        """Whether the verdict is `contradicted`."""
        return self.verdict == "contradicted"

    @property
    def undecided(self) -> bool:
        """Whether the verdict is `undecided`."""
        return self.verdict == "undecided"

    def because(self, why: str) -> Check:
        """Return the same outcome with its cause."""
        return replace(self, why=why)


def decided(
    hypotheses: Hypotheses,
    *,
    measured: str,
    expected: str,
    runs: int,
    slack: Mapping[Any, NDArray[np.float64]],
    what: str = "",
    unit: str = "",
    measures: Mapping[Any, Reading] | None = None,
) -> Check:
    """Return the outcome that hypotheses have; the names of the hypotheses are the points of `slack`."""
    verdict = hypotheses.verdict()
    return Check(
        verdict=verdict,
        measured=measured,
        expected=expected,
        runs=runs,
        what=what,
        unit=unit,
        slack=slack,
        missed=tuple(hypotheses.reversed() or hypotheses.unshown()),
        hypotheses=hypotheses,
        outlook=hypotheses.outlook() if verdict == "undecided" else None,
        points=hypotheses.verdicts(),
        measures=measures or {},
    )


def all_of(*checks: Check) -> Check:
    """Join checks that must all hold; the worst verdict is that of the whole.

    That all parts hold needs no correction (an intersection-union test). That *some* part is contradicted does: Holm
    corrects over the parts, and a part that is not contradicted after that is undecided.
    """
    leaves = [leaf for check in checks for leaf in check.leaves()]
    smallest = {index: min(leaf.hypotheses.reverses().values(), default=1.0) for index, leaf in enumerate(leaves)}
    corrected = holm(smallest)
    parts = tuple(_as_part(leaf, corrected[index] < level(), len(leaves)) for index, leaf in enumerate(leaves))
    verdict = worst(part.verdict for part in parts)
    return Check(
        verdict=verdict,
        measured="; ".join(part.measured if part.holds else f"{part.measured} [{part.verdict}]" for part in parts),
        expected="; ".join(part.expected for part in parts),
        runs=min((part.runs for part in parts if part.runs), default=0),
        parts=parts,
        outlook=_outlook(parts) if verdict == "undecided" else None,
    )


def _as_part(leaf: Check, against: bool, parts: int) -> Check:
    """Return a check as one of several: contradicted only if it still is after the correction over all of them."""
    if leaf.verdict in ("holds", "open") or against:
        return leaf
    return replace(leaf, verdict="undecided", outlook=leaf.hypotheses.outlook(parts))


def _outlook(parts: tuple[Check, ...]) -> Outlook | None:
    """Return what decides the whole first: one part that is contradicted, or else the last one that holds."""
    found = [part.outlook for part in parts if part.undecided]
    against = [each for each in found if each is not None and each.towards == "contradicted" and each.runs is not None]
    if against:
        return min(against, key=lambda each: each.runs or 0)
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    return max(known, key=lambda each: np.inf if each.runs is None else each.runs)
