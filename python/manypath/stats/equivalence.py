"""Equivalence test of two treatments: two one-sided tests (TOST)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manypath.arguments import of_kind, positive, share
from manypath.errors import UserError
from manypath.stats import student
from manypath.stats.sample import sample


@dataclass(frozen=True)
class Equivalence:
    """Result of an equivalence test.

    Attributes
    ----------
    difference : float
        Mean of the first minus mean of the second, in the samples' unit.
    low, high : float
        Ends of the confidence interval of the difference, with confidence 1 - 2 `alpha`. The treatments are equivalent
        if it lies within plus and minus the margin.
    margin : float
        Largest irrelevant difference, in the samples' unit.
    p_value : float
        The larger of the two p-values.
    alpha : float
        Level of each test: the probability of a false claim of equivalence if the difference equals the margin.
    """

    difference: float
    low: float
    high: float
    margin: float
    p_value: float
    alpha: float

    @property
    def holds(self) -> bool:
        """Whether the treatments are shown to be equivalent within the margin. If not, they may still be equivalent."""
        return self.p_value < self.alpha

    def __str__(self) -> str:
        verdict = "equivalent" if self.holds else "not shown to be equivalent"
        return f"{verdict} within ±{self.margin:.4g}: {self.low:.4g} to {self.high:.4g}"


def equivalence(
    first: ArrayLike, second: ArrayLike, margin: float, *, paired: bool = True, alpha: float = 0.05
) -> Equivalence:
    """Test whether the means of two samples differ by less than a margin (TOST).

    Parameters
    ----------
    first, second
        Replications of two treatments.
    margin
        Largest irrelevant difference, in the samples' unit; chosen before the runs.
    paired
        Whether the n-th values of both are from the same replication, as in a campaign. If False, Welch's test, as for
        a simulation against a measurement.
    alpha
        Level of each of the two tests.

    Raises
    ------
    UserError
        If the margin is not positive, a sample has fewer than two values, or paired samples differ in length.

    References
    ----------
    D. J. Schuirmann, A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the
    Equivalence of Average Bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987.

    Examples
    --------
    >>> import manypath as mp
    >>> found = mp.stats.equivalence([4.71, 4.93, 4.82], [4.70, 4.91, 4.83], margin=0.1)
    >>> found.holds
    True
    >>> print(found)
    equivalent within ±0.1: -0.01909 to 0.03242
    """
    a, b = sample("first", first, fewest=2), sample("second", second, fewest=2)
    margin, alpha = positive("margin", margin), share("alpha", alpha)
    if of_kind("paired", paired, bool, "True or False") and a.shape != b.shape:
        raise UserError(f"second: has {b.size} values, first has {a.size}: give equally many, or paired=False")
    difference = float(a.mean() - b.mean())
    if not (np.ptp(a - b) if paired else max(np.ptp(a), np.ptp(b))):
        return Equivalence(difference, difference, difference, margin, float(abs(difference) >= margin), alpha)
    low, high, p_value = _paired(a - b, margin, alpha) if paired else _welch(a, b, margin, alpha)
    return Equivalence(difference, low, high, margin, p_value, alpha)


def _paired(differences: NDArray[np.float64], margin: float, alpha: float) -> tuple[float, float, float]:
    freedom, mean = differences.size - 1, float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    above = float(student.below(freedom, -(mean + margin) / error))
    below = float(student.below(freedom, (mean - margin) / error))
    half = student.quantile(freedom, 1 - alpha) * error
    return mean - half, mean + half, max(above, below)


def _welch(a: NDArray[np.float64], b: NDArray[np.float64], margin: float, alpha: float) -> tuple[float, float, float]:
    """Welch's test; one of the samples may have zero variance."""
    of_a, of_b = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    error = math.sqrt(of_a + of_b)
    freedom = (of_a + of_b) ** 2 / (of_a**2 / (a.size - 1) + of_b**2 / (b.size - 1))
    difference = float(a.mean() - b.mean())
    above = float(student.below(freedom, -(difference + margin) / error))
    below = float(student.below(freedom, (difference - margin) / error))
    half = student.quantile(freedom, 1 - alpha) * error
    return difference - half, difference + half, max(above, below)
