"""The outcome of a check of one statement against measured values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        The measured values with 95 % intervals, as text.
    expected : str
        The values that the statement requires, with the tolerance, as text.
    runs : int
        Replications in the smallest sample; 0 if nothing was run.
    why : str
        The cause if the verdict is not `holds`; else empty.
    parts : tuple of Check
        The checks that must all hold; empty for a single check.
    what, unit : str
        Name and unit of the measured quantity of a check without parts.
    slack : mapping
        Slack of each replication at each point, in `unit`; positive on the side that the statement requires.
    missed : tuple
        The points at which the statement is contradicted; without such points those at which it is not shown.
    hypotheses : Hypotheses
        The tests that decided a check without parts.
    outlook : Outlook or None
        Estimated number of runs that decide an undecided check; None if it cannot be estimated.
    points : mapping
        Verdict at each point alone, at the significance level of the look that decided.
    measures : mapping
        Measured quantity and required range at each point where the quantity is compared with a constant.
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
        """Return the points at which a quantity is compared with a number: their range has two ends."""
        return {key: reading for key, reading in self.measures.items() if reading.has_band}

    def readings(self) -> dict[Any, Reading]:
        """Return the measured quantity and range of each point; if samples are compared, the slack and its limit 0."""
        return {key: self.measures.get(key) or Reading(slack) for key, slack in self.slack.items()}

    def leaves(self) -> list[Check]:
        """Return the checks without parts: this one, or its parts."""
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
    """Return the outcome of tested hypotheses. The names of the hypotheses are the points of `slack`."""
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
    """Join checks that must all hold. The worst verdict is the verdict of the whole.

    The statement that all parts hold needs no correction (intersection-union test). The statement that *some* part is
    contradicted needs Holm's correction over the parts. A part that is contradicted only before the correction is
    undecided, and the text of its measured values says so.
    """
    leaves = [leaf for check in checks for leaf in check.leaves()]
    smallest = {index: min(leaf.hypotheses.reverses().values(), default=1.0) for index, leaf in enumerate(leaves)}
    corrected = holm(smallest)
    parts = tuple(_as_part(leaf, corrected[index] < level(), len(leaves)) for index, leaf in enumerate(leaves))
    verdict = worst(part.verdict for part in parts)
    return Check(
        verdict=verdict,
        measured=joined_measured((part.measured, part.verdict) for part in parts),
        expected=joined_expected(part.expected for part in parts),
        runs=min((part.runs for part in parts if part.runs), default=0),
        parts=parts,
        outlook=_outlook(parts) if verdict == "undecided" else None,
    )


def joined_measured(parts: Iterable[tuple[str, Verdict]]) -> str:
    """Return the measured values of several parts as one text, with the verdict of each part that does not hold."""
    return "; ".join(measured if verdict == "holds" else f"{measured} [{verdict}]" for measured, verdict in parts)


def joined_expected(parts: Iterable[str]) -> str:
    """Return the values that several parts require as one text."""
    return "; ".join(parts)


def _as_part(leaf: Check, against: bool, parts: int) -> Check:
    """Return a check as one of several parts; `against` is whether it is contradicted after the correction."""
    if leaf.verdict in ("holds", "open") or against:
        return leaf
    why = f" (the contradiction is not significant after correction for {parts} parts)" if leaf.contradicted else ""
    return replace(leaf, verdict="undecided", measured=f"{leaf.measured}{why}", outlook=leaf.hypotheses.outlook(parts))


def _outlook(parts: tuple[Check, ...]) -> Outlook | None:
    """Return the outlook of the whole: the first part to be contradicted, or else the last part to hold."""
    found = [part.outlook for part in parts if part.undecided]
    against = [each for each in found if each is not None and each.towards == "contradicted" and each.runs is not None]
    if against:
        return min(against, key=lambda each: each.runs or 0)
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    return max(known, key=lambda each: np.inf if each.runs is None else each.runs)
