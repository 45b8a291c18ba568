"""The agreement of a check with a paper: one credit from 0 to 1 for each claim.

Verdicts are too coarse to compare settings: a small and a large deviation from a printed number are both contradicted.
The credit of a claim is the mean over its parts.

- A number at a point: 1 within the claim's tolerance. Beyond it the credit falls linearly with the distance of the mean
  from the printed value, to 0 at three tolerances (`REACH`).
- An order at a point: the confidence 1 - p with which it is shown.
- A watched hypothesis, which must not be reversed: 0 if it is shown to be reversed, else 1. The mean over the watched
  hypotheses is a factor of the credit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from manypath.papers.causes import Verified
from manypath.papers.check import Check
from manypath.stats.looks import SIGNIFICANCE

REACH = 3.0
"""Distance from a printed number at which the credit is 0, in tolerances."""

Values = NDArray[np.float64]

Credits = Mapping[str, float]
"""Credits by the ids of the claims."""


def credits_of(items: Iterable[Verified]) -> dict[str, float]:
    """Return the credits of the claims that read a run and are not open."""
    found = {item.claim.id: credit(item.check) for item in items if item.read}
    return {number: value for number, value in found.items() if value is not None}


def credit(check: Check) -> float | None:
    """Return the credit of a check; None if all of its parts are open."""
    parts = [of_part(leaf) for leaf in check.leaves() if leaf.verdict != "open"]
    return fmean(parts) if parts else None


def mean_of(earned: Credits, claims: Iterable[str]) -> float:
    """Return the mean credit of some claims, with equal weights."""
    return fmean(earned[number] for number in claims)


def of_part(leaf: Check) -> float:
    """Return the credit of a check without parts."""
    required = leaf.hypotheses.required
    numbers = leaf.numbers().values()
    if numbers:
        earned = [of_number(each.mean - each.middle, each.tolerance) for each in numbers]
        return float(np.mean(np.nan_to_num(earned, nan=0.0)))
    shown = fmean(1.0 - line.shown for line in required.values())
    watched = leaf.hypotheses.watched.values()
    return shown * (fmean(float(line.reverse >= SIGNIFICANCE) for line in watched) if watched else 1.0)


def of_number(distance: float | Values, limit: float) -> Values:
    """Return the credit of means at a distance from the printed number; `limit` is the tolerance. NaN stays NaN."""
    return np.clip(1.0 - (np.abs(distance) / limit - 1.0) / (REACH - 1.0), 0.0, 1.0)
