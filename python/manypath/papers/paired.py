"""Paired statistics over replications: means with intervals, one-sided tests, Holm's correction."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from manypath.papers.mean import Mean
from manypath.stats import interval

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
    runs, mean = len(difference), float(difference.mean())
    if runs == 1 or np.isnan(mean):
        return 1.0
    if np.ptp(difference) == 0.0:
        return 0.0 if mean > 0.0 else 1.0
    return float(special.stdtr(runs - 1, -mean / (difference.std(ddof=1) / np.sqrt(runs))))


def p_different(difference: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of `mean difference != 0`; 1 for a single run."""
    return min(1.0, 2.0 * min(p_greater(difference), p_greater(np.negative(difference))))


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Return the p-values with Holm's step-down correction."""
    corrected: dict[K, float] = {}
    running = 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda k: p_values[k])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[key]))
        corrected[key] = running
    return corrected
