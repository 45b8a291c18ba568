"""Confidence interval of a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manypath.arguments import number, share, whole
from manypath.stats import student
from manypath.stats.sample import sample


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval."""

    mean: float
    """Mean of the sample, in the sample's unit."""
    half_width: float
    """Half of the interval's width, in the sample's unit; NaN for a single value."""
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
    """Return Student's t interval of the mean of independent values.

    Raises
    ------
    UserError
        If there are no values, or the confidence is not between 0 and 1.

    Examples
    --------
    >>> import manypath as mp
    >>> found = mp.stats.interval([4.7, 4.9, 4.8])
    >>> print(found)
    4.8 ± 0.25
    >>> round(found.low, 2), round(found.high, 2), found.n
    (4.55, 5.05, 3)
    """
    numbers = sample("values", values)
    with np.errstate(invalid="ignore"):  # an infinite value has no deviation
        deviation = float(numbers.std(ddof=1)) if numbers.size > 1 else math.nan
    return Interval(float(numbers.mean()), half_width(deviation, numbers.size, confidence), numbers.size)


def half_width(deviation: float, n: int, confidence: float = 0.95) -> float:
    """Return the half-width of Student's t interval for a standard deviation and a sample size.

    Examples
    --------
    >>> import manypath as mp
    >>> round(mp.stats.half_width(deviation=0.1, n=3), 3)
    0.248
    """
    level = share("confidence", confidence)
    if whole("n", n, "number of values") <= 1:
        return math.nan
    return student.quantile(n - 1, (1 + level) / 2) * number("deviation", deviation) / math.sqrt(n)
