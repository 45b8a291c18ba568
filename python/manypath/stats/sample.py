"""Conversion of lists, arrays or columns of numbers to samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manypath.errors import UserError, quoted


def sample(name: str, values: ArrayLike, fewest: int = 1) -> NDArray[np.float64]:
    """Return the values as a one-dimensional array.

    Raises
    ------
    UserError
        If they are not numbers, not one-dimensional, or fewer than `fewest`.
    """
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"{name}: {quoted(values)} are no numbers: give a list of numbers") from None
    if numbers.ndim != 1:
        raise UserError(f"{name}: {quoted(values)} are not one-dimensional: give a list of numbers")
    if numbers.size < fewest:
        has = f"has {numbers.size} values" if numbers.size else "is empty"
        raise UserError(f"{name}: {has}: give {'one' if fewest == 1 else fewest} or more")
    return numbers
