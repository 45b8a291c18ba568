"""Truncation of the initial transient of a series: MSER-5."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manypath.errors import UserError
from manypath.stats.sample import sample

BATCH = 5
"""Observations in a batch, which is averaged."""

FEWEST = 10
"""Smallest number of batches for an estimate; the second half of them is never removed."""


def mser5(series: ArrayLike) -> int | None:
    """Return the number of initial observations to remove from a series, because they bias its mean.

    The rule truncates at the point with the smallest standard error of the rest, computed as if the batches of five
    observations were independent.

    Parameters
    ----------
    series
        Observations at equal intervals, from the beginning of the run.

    Returns
    -------
    int or None
        Number of observations to remove: a multiple of five, and less than half of them. None if the smallest error
        is not in the first half: then the series is too short for an estimate.

    Raises
    ------
    UserError
        If there are fewer than 50 observations, or some are not numbers.

    References
    ----------
    K. P. White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997.
    K. P. White, M. J. Cobb, S. C. Spratt, A comparison of five steady-state truncation heuristics for simulation,
    Proceedings of the Winter Simulation Conference, 2000.

    Examples
    --------
    >>> import manypath as mp
    >>> rates = 10 * [1] + 15 * [4, 6, 5, 5, 6, 5, 4]
    >>> mp.stats.mser5(rates)
    10
    """
    values = sample("series", series, fewest=BATCH * FEWEST)
    if not np.isfinite(values).all():
        raise UserError("series: has infinite values or NaN: leave them out")
    count = values.size // BATCH
    batches = values[: count * BATCH].reshape(count, BATCH).mean(axis=1)
    # Sums over the batches from each one to the end; centred for numerical precision.
    centred = batches - batches.mean()
    rest = np.arange(count, 0, -1)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (centred, centred**2))
    errors = np.maximum(squares - sums**2 / rest, 0.0) / rest**2
    # A few last batches may have a small error by chance.
    cut = int(np.argmin(errors[: count - BATCH]))
    return BATCH * cut if cut < count // 2 else None
