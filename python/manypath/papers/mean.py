"""A mean over replications with its interval, as text and as data."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator
from typing_extensions import override

from manypath.stats import interval


def _number(said: Any) -> Any:
    return math.nan if said is None else said


class Mean(NamedTuple):
    """A mean over replications, in the unit of the measured quantity.

    Attributes
    ----------
    mean : float
        The mean; NaN (null in JSON) if a run lacks the quantity.
    half_width : float or None
        Half width of its 95 % Student-t interval; 0 for equal runs, None for a single run.
    """

    mean: Annotated[float, BeforeValidator(_number)]
    half_width: float | None

    @staticmethod
    def of(sample: NDArray[np.float64]) -> Mean:
        """Return the mean of a sample."""
        found = interval(sample)
        return Mean(found.mean, None if math.isnan(found.half_width) else found.half_width)

    def rounded(self) -> list[float | None]:
        """Return mean and half width, rounded to the digits of published tables."""
        half = self.half_width
        mean = None if math.isnan(self.mean) else float(f"{self.mean:.6g}")
        return [mean, None if half is None else float(f"{half:.3g}")]

    def plain(self) -> dict[str, float | None]:
        """Return mean and half width as plain data for JSON."""
        return {"mean": None if math.isnan(self.mean) else self.mean, "half_width": self.half_width}

    def signed(self) -> str:
        """Format the mean with its sign: `+0.31 ± 0.10`."""
        told = str(self)
        return told if told.startswith("-") or math.isnan(self.mean) else f"+{told}"

    @override
    def __str__(self) -> str:
        """Format the mean with its interval: `7.04 ± 0.12`; the mean alone for a single run; NaN as `no value`."""
        if math.isnan(self.mean):
            return "no value"
        if self.half_width is None:
            return f"{self.mean:.3g}"
        if self.half_width == 0.0:
            return f"{self.mean:.4g} in each run"
        digits = 2 if abs(self.mean) < LARGE else 1
        return f"{self.mean:,.{digits}f} ± {self.half_width:,.{digits}f}"


LARGE = 100.0
"""Smallest mean that is printed with one decimal instead of two."""
