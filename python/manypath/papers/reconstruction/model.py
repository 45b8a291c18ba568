"""Predicts scores from a design: main effects and the strongest effects of pairs. It proposes settings to be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from itertools import combinations as subsets

import numpy as np
from numpy.typing import NDArray

from manypath.papers.reconstruction.design import Signs, signs_of
from manypath.papers.reconstruction.factors import Combination, Factor, penalty

PAIRS = 3
"""Effects of pairs in a model."""

PROPOSED = 3
"""Settings that a model proposes."""


def propose(
    factors: Sequence[Factor], scores: Mapping[Combination, float], design: Sequence[Combination]
) -> list[Combination]:
    """Return the settings with the best predicted scores less penalties that were not run.

    Parameters
    ----------
    factors
        The factors.
    scores
        Mean credits of the settings that were run.
    design
        The settings of the design, to which the model is fitted.
    """
    names = [factor.name for factor in factors]
    measured = np.array([scores[setting] for setting in design])
    signs = signs_of(names, design)
    every = [frozenset(each) for each in chain.from_iterable(subsets(names, size) for size in range(len(names) + 1))]
    predicted = _predict(signs, measured, signs_of(names, every))
    gains = predicted - np.array([penalty(factors, setting) for setting in every])
    best = [every[index] for index in np.argsort(-gains, kind="stable")]
    return [setting for setting in best if setting not in scores][:PROPOSED]


def _predict(signs: Signs, measured: NDArray[np.float64], wanted: Signs) -> NDArray[np.float64]:
    """Fit mean, main effects and the strongest pairs by least squares; return the predictions for other settings."""
    mains = signs.T @ measured / len(signs)
    pairs = _strongest_pairs(signs, measured, mains)
    model = np.linalg.lstsq(_terms(signs, pairs), measured, rcond=None)[0]
    return _terms(wanted, pairs) @ model


def _strongest_pairs(signs: Signs, measured: NDArray[np.float64], mains: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the pairs with the largest effects.

    In a design of resolution IV several pairs share one column. Of these, the pair whose main effects are the largest
    stands for all (effect heredity).
    """
    found: dict[bytes, tuple[float, float, tuple[int, int]]] = {}
    for first, second in subsets(range(signs.shape[1]), 2):
        column = signs[:, first] * signs[:, second]
        effect, parents = float(abs(column @ measured)) / len(signs), float(abs(mains[first] * mains[second]))
        key = (column * column[0]).tobytes()
        if key not in found or parents > found[key][1]:
            found[key] = (effect, parents, (first, second))
    return [pair for _, _, pair in sorted(found.values(), reverse=True)[:PAIRS]]


def _terms(signs: Signs, pairs: Sequence[tuple[int, int]]) -> Signs:
    """Return the columns of the model: mean, factors, pairs."""
    products = [signs[:, first] * signs[:, second] for first, second in pairs]
    return np.column_stack([np.ones(len(signs)), signs, *products])
