"""Where the beginning of a series should be cut off: MSER-5."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manypath.errors import UserError
from manypath.stats.sample import sample

BATCH = 5
"""Observations that are averaged first."""

FEWEST = 10
"""So many batches are needed to say anything; the last half of them is never cut off."""


def mser5(series: ArrayLike) -> int | None:
    """Observations at the beginning that bias the mean of a series more than they help it.

    The rule cuts where the rest has the smallest standard error, computed as if its batches of five were independent.

    Parameters
    ----------
    series
        Observations at equal distances in time, from the very beginning.

    Returns
    -------
    int or None
        How many observations to leave out, a multiple of five and less than half of them; None if the smallest error
        does not lie in the first half: then the series is too short to tell.

    Raises
    ------
    UserError
        If there are fewer than 50 observations, or some are not numbers.

    References
    ----------
    K. P. White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997.
    K. P. White, M. J. Cobb, S. C. Spratt, A comparison of five steady-state truncation heuristics for simulation,
    Proceedings of the Winter Simulation Conference, 2000.
    """
    values = sample("series", series, fewest=BATCH * FEWEST)
    if not np.isfinite(values).all():
        raise UserError("series: has values that are no numbers: leave them out")
    count = values.size // BATCH
    batches = values[: count * BATCH].reshape(count, BATCH).mean(axis=1)
    # Sums over the batches from each one to the end, about a common mean for the sake of precision.
    centred = batches - batches.mean()
    rest = np.arange(count, 0, -1)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (centred, centred**2))
    errors = np.maximum(squares - sums**2 / rest, 0.0) / rest**2
    # The last batches agree by chance.
    cut = int(np.argmin(errors[: count - BATCH]))
    return BATCH * cut if cut < count // 2 else None
