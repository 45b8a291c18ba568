"""Samples as users give them: lists, arrays or columns of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manypath.errors import UserError, quoted


def sample(name: str, values: ArrayLike, fewest: int = 1) -> NDArray[np.float64]:
    """The values as numbers in one row.

    Raises
    ------
    UserError
        If they are no numbers in one row, or fewer than `fewest`.
    """
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"{name}: {quoted(values)} are no numbers: give a list of them") from None
    if numbers.ndim != 1:
        raise UserError(f"{name}: {quoted(values)} are no numbers in a row: give a list of them")
    if numbers.size < fewest:
        has = f"has {numbers.size} values" if numbers.size else "is empty"
        raise UserError(f"{name}: {has}: give {'one' if fewest == 1 else fewest} or more")
    return numbers
