"""How near a check comes to what a paper prints: one credit from 0 to 1 for each claim.

Verdicts are too coarse to compare settings: a number that is off by a little and one that is off by much are both
contradicted. The credit of a claim is the mean over its parts.

- A number at a point: 1 within the claim's tolerance, falling linearly with the distance of the mean from the printed
  value to 0 at three tolerances (`REACH`).
- An order at a point: the confidence 1 - p with which it is shown, 0 where the opposite is certain.
- What must merely not be reversed: 1, or 0 where it is shown to be reversed. The mean over such points is a factor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import fmean

from manypath.papers.causes import Verified
from manypath.papers.check import Check
from manypath.papers.paired import SIGNIFICANCE
from manypath.papers.verdict import Line

REACH = 3.0
"""Distance from a printed number at which there is no credit left, in tolerances."""

Credits = Mapping[str, float]
"""Credits by the ids of the claims."""


def credits_of(items: Iterable[Verified]) -> dict[str, float]:
    """Return the credits of the claims that runs decide: those that read a run and are not open."""
    found = {item.claim.id: credit(item.check) for item in items if item.read}
    return {number: value for number, value in found.items() if value is not None}


def credit(check: Check) -> float | None:
    """Return the credit of a check; None if all of its parts are open."""
    parts = [_of_part(leaf) for leaf in check.leaves() if leaf.verdict != "open"]
    return fmean(parts) if parts else None


def mean_of(earned: Credits, claims: Iterable[str]) -> float:
    """Return the mean credit of some claims, which weigh alike."""
    return fmean(earned[number] for number in claims)


def _of_part(leaf: Check) -> float:
    required = leaf.hypotheses.required
    if leaf.limits:
        return fmean(_of_number(line, leaf.limits[point]) for point, line in required.items())
    shown = fmean(1.0 - line.shown for line in required.values())
    watched = leaf.hypotheses.watched.values()
    return shown * (fmean(float(line.reverse >= SIGNIFICANCE) for line in watched) if watched else 1.0)


def _of_number(line: Line, limit: float) -> float:
    """Return the credit of a number from its distance to the line, which lies one tolerance from the printed value."""
    if math.isnan(line.distance):
        return 0.0
    beyond = -line.distance / limit
    return min(1.0, max(0.0, 1.0 - beyond / (REACH - 1.0)))
