"""Fairness of shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manypath.errors import UserError
from manypath.stats.sample import sample


def jain(shares: ArrayLike) -> float:
    """Return Jain's fairness index: 1 if all shares are equal, 1/n if one of n has everything.

    Raises
    ------
    UserError
        If there are no shares, one is negative, or all are 0.

    References
    ----------
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation in
    Shared Computer Systems, DEC-TR-301, 1984.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.stats.jain([5, 5]), mp.stats.jain([10, 0]), mp.stats.jain([3, 1])
    (1.0, 0.5, 0.8)
    """
    values = sample("shares", shares)
    if (values < 0).any():
        raise UserError(f"shares: {values.min():g} is negative: give 0 or more")
    squares = float(np.square(values).sum())
    if squares == 0:
        raise UserError("shares: all are 0: give at least one other share")
    return float(values.sum()) ** 2 / (values.size * squares)
