"""Paired statistics over replications: means with intervals, one-sided tests, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from manypath.papers.mean import Mean
from manypath.stats import interval, student

K = TypeVar("K", bound=Hashable)


def half_width(sample: NDArray[np.float64]) -> float:
    """Return the half width of the 95 % Student-t interval of the mean; NaN for a single run."""
    return interval(sample).half_width


def estimate(sample: NDArray[np.float64]) -> str:
    """Format a mean with its interval: `7.04 ± 0.12`; the mean alone for a single run."""
    return str(Mean.of(sample))


def p_greater(difference: NDArray[np.float64]) -> float:
    """Return the one-sided p-value of `mean difference > 0`; 1 for a single run or a missing value (NaN).

    Two or more equal differences have no spread, as in a deterministic scenario: the p-value is 0 if they are positive,
    else 1.
    """
    return p_sides(*moments(difference), len(difference))[0]


def p_different(difference: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of `mean difference != 0`; 1 for a single run."""
    return min(1.0, 2.0 * min(p_sides(*moments(difference), len(difference))))


def p_sides(mean: float, spread: float, runs: int) -> tuple[float, float]:
    """Return the p-values of a mean above zero and below zero, as `p_greater` does, from what `moments` returns."""
    if runs == 1 or math.isnan(mean):
        return 1.0, 1.0
    if spread == 0.0:
        return float(mean <= 0.0), float(mean >= 0.0)
    distance = mean / (spread / math.sqrt(runs))
    return float(student.below(runs - 1, -distance)), float(student.below(runs - 1, distance))


def moments(sample: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation. The latter is exactly 0 for equal runs, and NaN for a single run."""
    mean = float(sample.mean())
    if len(sample) == 1:
        return mean, math.nan
    return mean, float(sample.std(ddof=1)) if np.ptp(sample) != 0.0 else 0.0


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return the p-values with Holm's step-down correction."""
    corrected: dict[K, float] = {}
    running = 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda k: p_values[k])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[key]))
        corrected[key] = running
    return corrected
