"""How evenly something is shared."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def jain(shares: ArrayLike) -> float:
    """Jain's fairness index: 1 if all shares are equal, 1/n if one of n has everything.

    References
    ----------
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation in
    Shared Computer Systems, DEC-TR-301, 1984.
    """
    values = np.asarray(shares, dtype=float)
    squares = float(np.square(values).sum())
    if values.size == 0 or squares == 0:
        raise ValueError("shares: nothing is shared: give one or more, not all 0")
    return float(values.sum()) ** 2 / (values.size * squares)
