"""The claims of a paper with a change that a user gives, beside the same claims without it.

Both verdicts come from the same number of runs of each case, with the same random numbers: replication by replication.
Scenarios that the change does not reach are not run again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manypath.papers.causes import Verified, verify
from manypath.papers.check import Check, all_of
from manypath.papers.claim import Claim
from manypath.papers.evidence import Evidence
from manypath.papers.given_changes import Reach
from manypath.papers.guard import without_verdict
from manypath.papers.mean import Mean
from manypath.papers.predicates import label
from manypath.papers.reading import Reading
from manypath.papers.runner import Runner


@dataclass(frozen=True)
class ChangedPoint:
    """A measured quantity at one point of a claim, without and with the change.

    Attributes
    ----------
    place : str
        The point; empty if the part has only one.
    before, after : Mean
        The quantity in the unit of the part. If two samples are compared, the distance from the limit of the claim,
        positive on the side of the claim.
    moved : Mean
        Difference of both, replication by replication.
    low, high : float
        Range in which the quantity must lie; infinite if it is open.
    printed : float or None
        The number of the paper with which the quantity is compared; None if the range has one end.
    """

    place: str
    before: Mean
    after: Mean
    moved: Mean
    low: float
    high: float
    printed: float | None


@dataclass(frozen=True)
class ChangedPart:
    """A part of a claim, without and with the change."""

    before: Check
    after: Check

    @property
    def points(self) -> list[ChangedPoint]:
        """The points of the part that were measured without and with the change."""
        with_change = self.after.readings()
        return [
            _point(key, reading, with_change[key])
            for key, reading in self.before.readings().items()
            if key in with_change
        ]

    @property
    def farthest(self) -> ChangedPoint | None:
        """The point that the change moves farthest; None without points that have a value with and without it."""
        measured = [point for point in self.points if math.isfinite(point.moved.mean)]
        return max(measured, key=lambda point: abs(point.moved.mean), default=None)

    def move(self) -> str:
        """Return as text how far the change moves the quantity at the point that it moves farthest."""
        point = self.farthest
        if point is None:
            return "no value"
        place = f" at {point.place}" if point.place and len(self.points) > 1 else ""
        return f"{point.moved.signed()} {self.before.unit}".rstrip() + place


@dataclass(frozen=True)
class ChangedClaim:
    """A claim without and with the change.

    Attributes
    ----------
    claim : Claim
        The claim.
    before, after : Check
        Its outcomes.
    reached : bool
        Whether the change reaches a scenario that the claim reads.
    """

    claim: Claim
    before: Check
    after: Check
    reached: bool

    @property
    def turned(self) -> bool:
        """Whether the verdict changes."""
        return self.before.verdict != self.after.verdict

    @property
    def parts(self) -> list[ChangedPart]:
        """The parts of the claim."""
        before, after = self.before.leaves(), self.after.leaves()
        if len(before) != len(after):
            # A claim that lacks an input with the change has no parts.
            return [ChangedPart(self.before, self.after)]
        return [ChangedPart(*pair) for pair in zip(before, after, strict=True)]


@dataclass(frozen=True)
class ChangedPaper:
    """A paper with a change.

    Attributes
    ----------
    reach : Reach
        The change, and the scenarios that it reaches.
    claims : tuple of ChangedClaim
        The claims in their order.
    evidence : Evidence
        The runs as a view with the change.
    """

    reach: Reach
    claims: tuple[ChangedClaim, ...]
    evidence: Evidence

    def of(self, claim: Claim) -> ChangedClaim:
        """Return the outcomes of a claim."""
        return next(each for each in self.claims if each.claim is claim)

    @property
    def says(self) -> str:
        """The change as text."""
        return self.reach.switch.says

    @property
    def ordered(self) -> list[ChangedClaim]:
        """The claims: those with another verdict first, those that the change does not reach last."""
        return sorted(self.claims, key=lambda each: (not each.turned, not each.reached))

    @property
    def turned(self) -> list[str]:
        """The ids of the claims with another verdict."""
        return [each.claim.id for each in self.claims if each.turned]

    def summary(self) -> str:
        """Return as text how many verdicts change, and which."""
        turned = self.turned
        named = f": {', '.join(turned)}" if turned else ""
        verb = "changes" if len(turned) == 1 else "change"
        return f"{len(turned)} of {len(self.claims)} verdicts {verb}{named}"

    def scope(self) -> str:
        """Return as text how many scenarios are run with the change, and why the others are not."""
        reach = self.reach
        changed, total = len(reach.changed), len(reach.changed) + reach.equal + reach.without
        reasons = [
            *([f"{reach.without} without the field"] if reach.without else []),
            *([f"{reach.equal} with this value already"] if reach.equal else []),
        ]
        others = f"; not run again: {', '.join(reasons)}" if reasons else ""
        return f"{changed} of {total} scenarios change{others}"

    def remarks(self) -> list[str]:
        """Return a line for each field that an experiment varies, because all its cases then have one value."""
        return [
            f"{place}: {', '.join(names)} {'varies' if len(names) == 1 else 'vary'} this field, and all cases get "
            "the same value"
            for place, names in self.reach.varied.items()
        ]


def measure_change(runner: Runner, reach: Reach, verified: Sequence[Verified], evidence: Evidence) -> ChangedPaper:
    """Run the scenarios that a change reaches, with the replications of the plain runs, and check the claims again.

    Parameters
    ----------
    runner : Runner
        The runner of the paper.
    reach : Reach
        The change and the cases that it changes.
    verified : sequence of Verified
        The claims without the change, with the cases that they read.
    evidence : Evidence
        The plain runs.
    """
    switch = reach.switch
    runner = replace(runner, precision=replace(runner.precision, trials=runner.precision.replications))
    evidence = evidence.along_with(runner.switched({switch: reach.changed}, "with a change"))
    claims: list[ChangedClaim] = []
    for item in verified:
        reached = evidence.changes(switch.name, item.read)
        after = _checked(item, evidence.under(switch.name)) if reached else item.check
        claims.append(ChangedClaim(item.claim, item.check, after, reached))
    return ChangedPaper(reach, tuple(claims), evidence.under(switch.name))


def plain_change(each: ChangedClaim) -> dict[str, Any]:
    """Return the outcome of a claim with the change as plain data for JSON."""
    return {
        "verdict": each.after.verdict,
        "measured": each.after.measured,
        "reached": each.reached,
        "parts": [
            {
                "what": part.before.what,
                "unit": part.before.unit,
                "expected": part.before.expected,
                "before": {"verdict": part.before.verdict, "measured": part.before.measured},
                "after": {"verdict": part.after.verdict, "measured": part.after.measured},
                "points": [plain_point(point) for point in part.points],
            }
            for part in each.parts
        ],
    }


def plain_point(point: ChangedPoint) -> Mapping[str, Any]:
    """Return a point as plain data for JSON; a missing value or an open end of its range is None."""
    return {
        "point": point.place,
        "before": _plain_mean(point.before),
        "after": _plain_mean(point.after),
        "moved": _plain_mean(point.moved),
        "low": point.low if math.isfinite(point.low) else None,
        "high": point.high if math.isfinite(point.high) else None,
        "printed": point.printed,
    }


def _plain_mean(mean: Mean) -> dict[str, float | None]:
    # A ratio may be infinite with a change that stops a flow.
    return mean.plain() if math.isfinite(mean.mean) else {"mean": None, "half_width": None}


def _checked(item: Verified, evidence: Evidence) -> Check:
    """Check a claim with a change. A part is `open` if the change removes a value that its check needs.

    A claim without a verdict because of its window has none with the change either.
    """
    try:
        after = verify(item.claim, evidence)
        after = replace(after, check=with_open_parts(item.check, after.check))
        return without_verdict(after, [item.unsteady] if item.unsteady else []).check
    except UNMEASURED as error:
        return Check("open", f"the change removes a value of the check ({type(error).__name__}: {error})", "", 0)


def with_open_parts(before: Check, after: Check) -> Check:
    """Return a check in which the parts that lack a value only with the change are `open`."""
    parts = after.leaves()
    was = before.leaves()
    lacked = [_lacks_values(each) for each in was] if len(was) == len(parts) else [False] * len(parts)
    lost = [_lacks_values(part) and not absent for part, absent in zip(parts, lacked, strict=True)]
    if not any(lost):
        return after
    why = "the change removes a value of the check"
    opened = [
        replace(part, verdict="open", why=why, outlook=None) if gone else part
        for part, gone in zip(parts, lost, strict=True)
    ]
    return replace(all_of(*opened), why=why) if after.parts else opened[0]


def _lacks_values(check: Check) -> bool:
    return any(np.isnan(sample).any() for sample in check.slack.values())


def _point(key: Any, before: Reading, after: Reading) -> ChangedPoint:
    runs = min(len(before.sample), len(after.sample))
    return ChangedPoint(
        place=label(key),
        before=Mean.of(before.sample),
        after=Mean.of(after.sample),
        moved=Mean.of(after.sample[:runs] - before.sample[:runs]),
        low=before.low,
        high=before.high,
        printed=before.middle if before.has_band else None,
    )


UNMEASURED = (ArithmeticError, LookupError, ValueError)
"""Errors of a check or a drawing whose values do not exist with a change, such as those of a path that no flow uses."""
