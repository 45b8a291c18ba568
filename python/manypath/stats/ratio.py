"""Ratio of the means of two paired samples."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from manypath.arguments import share
from manypath.errors import UserError
from manypath.stats import student
from manypath.stats.sample import sample


def ratio_interval(first: ArrayLike, second: ArrayLike, alpha: float = 0.05) -> tuple[float, float]:
    """Return a confidence interval of the ratio of two means, first over second, by Fieller's theorem.

    The interval accounts for the uncertainty of both means: it has all ratios r for which Student's test of the values
    first - r second does not reject a mean of 0.

    Parameters
    ----------
    first, second
        Paired values, such as measurements and simulations with the same losses.
    alpha
        Probability that the ratio is below the interval, and that it is above; the confidence is 1 - 2 `alpha`.

    Returns
    -------
    tuple of float
        Both ends; minus and plus infinity if the second mean does not differ significantly from 0.

    Raises
    ------
    UserError
        If there are fewer than two pairs, or the samples have different lengths.

    References
    ----------
    E. C. Fieller, Some Problems in Interval Estimation, Journal of the Royal Statistical Society B 16(2), 1954.
    """
    a, b = sample("first", first, fewest=2), sample("second", second, fewest=2)
    if a.shape != b.shape:
        raise UserError(f"second: has {b.size} values, first has {a.size}: give equally many")
    quantile = student.quantile(a.size - 1, 1 - share("alpha", alpha)) ** 2 / a.size
    mean_a, mean_b = float(a.mean()), float(b.mean())
    covariance = float(((a - mean_a) * (b - mean_b)).sum()) / (a.size - 1)
    # The roots of square r^2 - 2 middle r + rest are the ends.
    square = mean_b**2 - quantile * float(b.var(ddof=1))
    middle = mean_a * mean_b - quantile * covariance
    rest = mean_a**2 - quantile * float(a.var(ddof=1))
    if square <= 0:
        return -math.inf, math.inf
    root = math.sqrt(max(0.0, middle**2 - square * rest))
    return (middle - root) / square, (middle + root) / square
