"""Equivalence of a measured and a simulated number: equivalent, different or open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from manypath.stats.confidence import half_width
from manypath.stats.equivalence import equivalence
from manypath.stats.looks import SIGNIFICANCE
from manypath.stats.ratio import ratio_interval

Word = Literal["equivalent", "different", "open"]
"""The verdict of an equivalence test."""


@dataclass(frozen=True)
class Verdict:
    """One number, measured and simulated.

    Attributes
    ----------
    measured, simulated : float
        Means over the runs.
    measured_half_width, simulated_half_width : float
        Half widths of their 95 % confidence intervals; NaN after one run.
    low, high : float
        Ends of the confidence interval of `ratio`, with the confidence level `confidence`; NaN after one run.
    word : str
        ``equivalent`` if the interval is within the margin, as in two one-sided tests at `level`. ``different`` if the
        interval is outside the margin. Else ``open``; more runs may decide it.
    level : float
        Level of each of the two one-sided tests, as a share of 1. It is the level of the look that gave the verdict;
        all looks together have 5 %.
    measurements, simulations : tuple of float
        The number in each run.
    """

    measured: float
    measured_half_width: float
    simulated: float
    simulated_half_width: float
    low: float
    high: float
    word: Word
    level: float
    measurements: tuple[float, ...]
    simulations: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Measured divided by simulated mean; NaN if the simulated mean is 0."""
        return self.measured / self.simulated if self.simulated else float("nan")

    @property
    def runs(self) -> int:
        """Number of measurements on which the verdict is based."""
        return len(self.measurements)

    @property
    def confidence(self) -> float:
        """Confidence level of the interval from `low` to `high`, as a share of 1."""
        return 1 - 2 * self.level


def judge(measured: ArrayLike, simulated: ArrayLike, level: float = SIGNIFICANCE, *, paired: bool = False) -> Verdict:
    """Compare the runs of a measurement with those of a simulation.

    Parameters
    ----------
    measured, simulated
        The number in each run.
    level
        Level of each of the two one-sided tests, as a share of 1.
    paired
        Whether the n-th runs of both have the same seed. Paired samples use Fieller's interval of the ratio, others
        use Welch's test.
    """
    ours, theirs = np.asarray(measured, float), np.asarray(simulated, float)
    low, high, word = _interval(ours, theirs, level, paired)
    return Verdict(
        measured=float(ours.mean()),
        measured_half_width=_half_width(ours),
        simulated=float(theirs.mean()),
        simulated_half_width=_half_width(theirs),
        low=low,
        high=high,
        word=word,
        level=level,
        measurements=tuple(ours.tolist()),
        simulations=tuple(theirs.tolist()),
    )


def _interval(ours: np.ndarray, theirs: np.ndarray, level: float, paired: bool) -> tuple[float, float, Word]:
    """Return both ends of the confidence interval of the ratio, and the verdict."""
    mean = float(theirs.mean())
    if min(len(ours), len(theirs)) < FEWEST or mean <= 0:
        return float("nan"), float("nan"), "open"
    if paired:
        low, high = ratio_interval(ours, theirs, level)
    else:
        test = equivalence(ours, theirs, MARGIN * mean, paired=False, alpha=level)
        low, high = 1 + test.low / mean, 1 + test.high / mean
    if low > 1 - MARGIN and high < 1 + MARGIN:
        return low, high, "equivalent"
    return low, high, "different" if low > 1 + MARGIN or high < 1 - MARGIN else "open"


def _half_width(sample: np.ndarray) -> float:
    return half_width(float(sample.std(ddof=1)), len(sample)) if len(sample) > 1 else float("nan")


MARGIN = 0.1
"""Equivalence margin, as a share of the simulated mean."""

FEWEST = 2
"""The smallest number of runs for which a variance is estimated."""
