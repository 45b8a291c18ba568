"""The measured quantity at one point of a statement, with the range that the statement requires."""

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
        Ends of the range, in the same unit; infinite if the range is open.
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
        """Half width of the 95 % interval of the mean; 0 for a single run."""
        half = interval(self.sample).half_width
        return 0.0 if np.isnan(half) else half

    @property
    def middle(self) -> float:
        """Middle of a range with two ends: the number with which the quantity is compared."""
        return (self.low + self.high) / 2.0

    @property
    def tolerance(self) -> float:
        """Half the width of a range with two ends."""
        return (self.high - self.low) / 2.0

    @property
    def has_band(self) -> bool:
        """Whether the range has two ends."""
        return self.low > -inf and self.high < inf
