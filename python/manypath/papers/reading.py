"""What one point of a statement measured, beside the range in which the statement wants it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from manypath.stats import interval


@dataclass(frozen=True)
class Reading:
    """A measured quantity and the range in which its mean must lie.

    Attributes
    ----------
    sample : array
        One number for each replication, in the unit of the check.
    low, high : float
        Ends of the range, in the same unit; infinite where the range has no such end.
    """

    sample: NDArray[np.float64]
    low: float = 0.0
    high: float = inf

    @property
    def mean(self) -> float:
        """Mean over the replications."""
        return float(self.sample.mean())

    @property
    def half_width(self) -> float:
        """Half width of the 95 % interval of the mean; 0 where a single run has none."""
        half = interval(self.sample).half_width
        return 0.0 if np.isnan(half) else half

    @property
    def middle(self) -> float:
        """Middle of a range with both ends: the number with which the quantity is compared."""
        return (self.low + self.high) / 2.0

    @property
    def tolerance(self) -> float:
        """Half of a range with both ends."""
        return (self.high - self.low) / 2.0

    @property
    def has_band(self) -> bool:
        """Whether the range has both ends."""
        return self.low > -inf and self.high < inf
