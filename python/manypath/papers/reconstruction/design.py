"""A design for two-level factors that are changed jointly: a Hadamard matrix and its fold-over.

Each factor is a column. Each factor is changed in half of the settings, and each pair of factors has all four
combinations equally often. Main effects are not confounded with effects of pairs: the fold-over of a design of
resolution III has resolution IV. Up to 8 factors need 16 settings, up to 12 need 24.

R. L. Plackett and J. P. Burman, The Design of Optimum Multifactorial Experiments, Biometrika 33(4), 1946.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manypath.papers.reconstruction.factors import Combination

Signs = NDArray[np.float64]
"""Array of settings by factors: 1 if a factor is changed, else -1."""


def hadamard(order: int) -> Signs:
    """Return a Hadamard matrix whose first row and first column are 1, of order 12 or a power of two."""
    if order == PALEY:
        return _of_12()
    matrix = np.ones((1, 1))
    while len(matrix) < order:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def fold_over(factors: int) -> Signs:
    """Return the design for a number of factors. Its first row changes none of them.

    Raises
    ------
    ValueError
        If there is no factor, or more than 12: the claims of a paper cannot distinguish so many.
    """
    order = next((order for order in ORDERS if 1 <= factors <= order), None)
    if order is None:
        raise ValueError(f"a design has 1 to {ORDERS[-1]} factors, not {factors}")
    half = hadamard(order)[:, :factors]
    return np.vstack([-half, half])


PALEY = 12
"""Order that is not a power of two, with Paley's matrix."""

ORDERS = (2, 4, 8, PALEY)
"""Orders of the matrices, which are also their largest numbers of factors."""


def combinations(names: Sequence[str], signs: Signs) -> list[Combination]:
    """Return the settings of a design, without duplicates."""
    rows = [frozenset(name for name, sign in zip(names, row, strict=True) if sign > 0.0) for row in signs]
    return list(dict.fromkeys(rows))


def signs_of(names: Sequence[str], settings: Sequence[Combination]) -> Signs:
    """Return settings as rows of signs."""
    return np.array([[1.0 if name in setting else -1.0 for name in names] for setting in settings])


def _of_12() -> Signs:
    """Build the matrix of order 12 from the quadratic residues modulo 11 (Paley's first construction)."""
    squares = {number * number % 11 for number in range(1, 11)}
    character = [0 if number == 0 else 1 if number in squares else -1 for number in range(11)]
    jacobsthal = np.array([[character[(column - row) % 11] for column in range(11)] for row in range(11)])
    matrix = np.block([[np.ones((1, 1)), np.ones((1, 11))], [-np.ones((11, 1)), jacobsthal + np.eye(11)]])
    return matrix * matrix[:, :1]
