"""Paired comparison of two treatments with common random numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manypath.errors import UserError
from manypath.stats import student
from manypath.stats.confidence import Interval, interval
from manypath.stats.sample import sample


@dataclass(frozen=True)
class Comparison:
    """The difference of two treatments over the same replications."""

    difference: Interval
    """Mean of first minus second, with its confidence interval."""
    p_value: float
    """Two-sided p-value of Student's paired t-test."""

    @property
    def p_above(self) -> float:
        """p-value of the one-sided test that the first is above the second."""
        return self.p_value / 2 if self.difference.mean > 0 else 1 - self.p_value / 2

    @property
    def p_below(self) -> float:
        """p-value of the one-sided test that the first is below the second."""
        return 1 - self.p_above


def paired(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Comparison:
    """Compare two samples in pairs: the n-th values of both are from the same replication.

    Raises
    ------
    UserError
        If a sample is empty, or the samples differ in length.

    Examples
    --------
    >>> import manypath as mp
    >>> found = mp.stats.paired([4.7, 4.9, 4.8], [4.5, 4.6, 4.7])
    >>> print(found.difference, "with p =", round(found.p_value, 3))
    0.2 ± 0.25 with p = 0.074
    """
    a, b = sample("first", first), sample("second", second)
    if a.shape != b.shape:
        raise UserError(f"second: has {b.size} values, first has {a.size}: give equally many")
    differences = a - b
    if differences.size > 1 and not np.ptp(differences):
        return Comparison(interval(differences, confidence), p_value=0.0 if differences[0] else 1.0)
    if differences.size <= 1:
        return Comparison(interval(differences, confidence), p_value=1.0)
    statistic = differences.mean() / (differences.std(ddof=1) / math.sqrt(differences.size))
    p_value = 2 * float(student.below(differences.size - 1, -abs(statistic)))
    return Comparison(interval(differences, confidence), p_value)
