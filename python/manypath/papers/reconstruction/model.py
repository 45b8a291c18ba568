"""Predicts credits under settings that were not run, from the runs of the design, and proposes settings to run.

Credits are not linear in the factors: the credit of a number peaks at the printed value. Measured means are nearer to
linear. Each mean is modelled by main effects and the strongest effects of pairs. The predicted credit is the credit of
the predicted mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from itertools import combinations as subsets

import numpy as np
from numpy.typing import NDArray

from manypath.papers.check import Check
from manypath.papers.reading import Reading
from manypath.papers.reconstruction.design import Signs, signs_of
from manypath.papers.reconstruction.factors import Combination, Factor, penalty
from manypath.papers.reconstruction.score import of_number, of_part
from manypath.papers.verdict import FEWEST
from manypath.stats import student
from manypath.stats.looks import SIGNIFICANCE

PAIRS = 2
"""Number of effects of pairs in the model of one mean."""

PROPOSED = 2
"""Number of proposed settings."""

Values = NDArray[np.float64]

Checks = Mapping[str, Check]
"""The outcome of each claim, by its id."""


def propose(
    factors: Sequence[Factor],
    checks: Mapping[Combination, Checks],
    claims: Sequence[str],
    design: Sequence[Combination],
) -> list[Combination]:
    """Return the settings outside the design with the largest predicted mean credit minus penalty.

    Parameters
    ----------
    factors
        The factors.
    checks
        Outcomes under the settings of the design.
    claims
        Ids of the claims in the mean credit.
    design
        The settings of the design.
    """
    names = [factor.name for factor in factors]
    every = [frozenset(each) for each in chain.from_iterable(subsets(names, size) for size in range(len(names) + 1))]
    model = Model(signs_of(names, design), signs_of(names, every))
    predicted = [model.of_claim([checks[setting][number] for setting in design]) for number in claims]
    gains = np.mean(predicted, axis=0) - np.array([penalty(factors, setting) for setting in every])
    best = [every[index] for index in np.argsort(-gains, kind="stable")]
    return [setting for setting in best if setting not in design][:PROPOSED]


class Model:
    """Predicts credits from outcomes under the settings of a design.

    Parameters
    ----------
    design, wanted : array
        The settings that were run, and those to predict, as arrays of settings by factors.
    """

    def __init__(self, design: Signs, wanted: Signs) -> None:
        self._design, self._wanted = design, wanted

    def of_claim(self, checks: Sequence[Check]) -> Values:
        """Return the predicted credits of one claim, from its outcomes under the design."""
        parts = list(zip(*(check.leaves() for check in checks), strict=False))
        return np.mean([self._of_part(part) for part in parts if part[0].verdict != "open"], axis=0)

    def _of_part(self, leaves: Sequence[Check]) -> Values:
        first = leaves[0]
        numbers = first.numbers()
        if numbers:
            readings = [leaf.numbers() for leaf in leaves]
            found = [
                of_number(self._predict(_distances([each.get(key) for each in readings])), number.tolerance)
                for key, number in numbers.items()
            ]
            return self._or_average(np.mean(found, axis=0), leaves)
        shown = np.mean([self._confidence(leaves, key) for key in first.hypotheses.required], axis=0)
        watched = [self._confidence(leaves, key) >= SIGNIFICANCE for key in first.hypotheses.watched]
        return self._or_average(shown * (np.mean(watched, axis=0) if watched else 1.0), leaves)

    def _or_average(self, predicted: Values, leaves: Sequence[Check]) -> Values:
        """Return the prediction; if it is not finite, the average credit over the design."""
        average = float(np.mean([of_part(leaf) for leaf in leaves]))
        return predicted if np.isfinite(predicted).all() else np.full(len(self._wanted), average)

    def _confidence(self, leaves: Sequence[Check], key: Hashable) -> Values:
        """Return the confidence that a mean is above zero, with the median spread over the design."""
        samples = [leaf.slack.get(key) for leaf in leaves]
        predicted = self._predict(_means(samples))
        runs = min((len(sample) for sample in samples if sample is not None), default=0)
        if runs < FEWEST:
            return np.where(np.isfinite(predicted), (predicted > 0.0).astype(np.float64), np.nan)
        spread = float(np.median([sample.std(ddof=1) for sample in samples if sample is not None]))
        error = max(spread, TINY) / np.sqrt(runs)
        return student.below(runs - 1, predicted / error)

    def _predict(self, measured: Values) -> Values:
        """Fit mean, main effects and the strongest pairs by least squares, and predict; NaN if a value is missing."""
        if not np.isfinite(measured).all():
            return np.full(len(self._wanted), np.nan)
        pairs = _strongest_pairs(self._design, measured)
        solved = np.linalg.lstsq(_terms(self._design, pairs), measured, rcond=None)[0]
        return _terms(self._wanted, pairs) @ solved


TINY = 1e-12
"""Smallest spread, which replaces 0."""


def _means(samples: Sequence[Values | None]) -> Values:
    """Return the mean of each sample; NaN for a missing sample."""
    return np.array([np.nan if sample is None else sample.mean() for sample in samples])


def _distances(readings: Sequence[Reading | None]) -> Values:
    """Return the distance of each mean from the printed number; NaN for a missing reading."""
    return np.array([np.nan if each is None else each.mean - each.middle for each in readings])


def _strongest_pairs(signs: Signs, measured: Values) -> list[tuple[int, int]]:
    """Return the pairs with the largest effects.

    In a design of resolution IV several pairs share one column. The pair with the largest main effects represents the
    column (effect heredity).
    """
    mains = signs.T @ measured / len(signs)
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
