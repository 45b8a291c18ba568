"""Confidence intervals of a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class Interval:
    """A mean and how far it may be off."""

    mean: float
    """Mean of the sample, in the sample's unit."""
    half_width: float
    """Half of the interval's width, in the sample's unit; not a number for a single value."""
    n: int
    """Number of values."""

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.half_width:.2g}"


def interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Student's t interval of the mean of independent values."""
    sample = np.asarray(values, dtype=float)
    if sample.size == 0:
        raise ValueError("values: is empty: give one or more")
    deviation = float(sample.std(ddof=1)) if sample.size > 1 else math.nan
    return Interval(float(sample.mean()), half_width(deviation, sample.size, confidence), sample.size)


def half_width(deviation: float, n: int, confidence: float = 0.95) -> float:
    """Half of the width of Student's t interval, from the sample's standard deviation and size."""
    if n <= 1:
        return math.nan
    return float(stats.t.ppf((1 + confidence) / 2, n - 1)) * deviation / math.sqrt(n)
