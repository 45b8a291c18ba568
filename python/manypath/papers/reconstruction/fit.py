"""Chooses settings by the credits of claims, and estimates the certainty of the choice by a bootstrap over claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations as pairs_of

import numpy as np
from numpy.typing import NDArray

from manypath.papers.reconstruction.factors import Combination, Factor, penalty
from manypath.papers.reconstruction.result import Told
from manypath.papers.reconstruction.score import Credits, mean_of

DRAWS = 4000
"""Draws of the bootstrap."""

SURE = 0.95
"""Smallest share of the draws in which a factor is identified."""

LINKED = 0.5
"""Smallest absolute correlation over the draws at which two factors form a group."""


@dataclass(frozen=True)
class CreditTable:
    """Credits of every claim under every setting that was run.

    Attributes
    ----------
    factors : tuple of Factor
        The factors.
    credits : mapping
        Credits by setting.
    """

    factors: tuple[Factor, ...]
    credits: Mapping[Combination, Credits]

    def scores(self, claims: Iterable[str]) -> dict[Combination, float]:
        """Return the mean credit of some claims under each setting."""
        ids = tuple(claims)
        return {setting: mean_of(earned, ids) for setting, earned in self.credits.items()}

    def best(self, claims: Iterable[str], among: Iterable[Combination]) -> Combination:
        """Return the setting with the largest mean credit minus penalty, and of equal ones the first in `ranked`."""
        scores = self.scores(claims)
        return max(ranked(self.factors, among), key=lambda setting: scores[setting] - penalty(self.factors, setting))


@dataclass(frozen=True)
class Certainty:
    """The certainty of a choice.

    Attributes
    ----------
    shares : mapping
        Share of the draws in which the best setting changes a factor, by factor, 0 to 1.
    rivals : tuple
        Settings that are at least as good as the chosen one in more than 5 % of the draws, the best first.
    together : tuple
        Groups of factors whose levels are correlated over the draws, so that they cannot be distinguished.
    """

    shares: Mapping[str, float]
    rivals: tuple[Combination, ...]
    together: tuple[tuple[str, ...], ...]

    def told(self, factor: str) -> Told:
        """Return whether the claims identify the level of a factor."""
        share = self.shares[factor]
        return "changed" if share >= SURE else "as stated" if share <= 1.0 - SURE else "not told"


def certainty(table: CreditTable, claims: Sequence[str], chosen: Combination, draws: int = DRAWS) -> Certainty:
    """Return the certainty of a choice by a bootstrap: draw the claims with replacement, and fit each draw.

    Replications are not drawn, because all settings use the same random numbers.
    """
    settings = ranked(table.factors, table.credits)
    earned = np.array([[table.credits[setting][number] for number in claims] for setting in settings])
    costs = np.array([penalty(table.factors, setting) for setting in settings])
    size = len(claims)
    weights = np.random.default_rng(size).multinomial(size, [1.0 / size] * size, draws)
    scores = weights @ earned.T / size - costs
    wins = _wins(scores, np.array([len(setting) for setting in settings]))
    changed = np.array([[factor.name in setting for factor in table.factors] for setting in settings], dtype=np.float64)
    ties = (scores >= scores[:, [settings.index(chosen)]] - EQUAL).mean(axis=0)
    plain = earned.mean(axis=1) - costs
    rivals = [index for index in np.argsort(-plain, kind="stable") if ties[index] > 1.0 - SURE]
    names = [factor.name for factor in table.factors]
    return Certainty(
        shares=dict(zip(names, map(float, np.minimum(wins @ changed, 1.0)), strict=True)),  # ties round above 1
        rivals=tuple(settings[index] for index in rivals if settings[index] != chosen),
        together=_together(names, wins, changed),
    )


def _wins(scores: NDArray[np.float64], changes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of the draws in which each setting is the best.

    Among settings with equal scores those with the fewest changes share the draw.
    """
    best = scores >= scores.max(axis=1, keepdims=True) - EQUAL
    fewest = np.where(best, changes, np.inf).min(axis=1, keepdims=True)
    winners = best & (changes == fewest)
    return (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0)


EQUAL = 1e-9
"""Largest difference of scores that counts as a rounding error."""


def ranked(factors: Sequence[Factor], settings: Iterable[Combination]) -> list[Combination]:
    """Return settings in a reproducible order; those with few changes are first."""
    places = {factor.name: place for place, factor in enumerate(factors)}
    return sorted(settings, key=lambda setting: (len(setting), sorted(places[name] for name in setting)))


def _together(
    names: Sequence[str], wins: NDArray[np.float64], changed: NDArray[np.float64]
) -> tuple[tuple[str, ...], ...]:
    """Return groups of factors that are not identified and whose levels are correlated over the draws."""
    shares = wins @ changed
    deviations = changed - shares
    covariance = (deviations * wins[:, np.newaxis]).T @ deviations
    loose = [index for index, share in enumerate(shares) if 1.0 - SURE < share < SURE]
    group = {index: {index} for index in loose}
    for first, second in pairs_of(loose, 2):
        spread = np.sqrt(covariance[first, first] * covariance[second, second])
        if abs(covariance[first, second]) >= LINKED * spread:
            merged = group[first] | group[second]
            for index in merged:
                group[index] = merged
    groups = {tuple(sorted(members)) for members in group.values() if len(members) > 1}
    return tuple(tuple(names[index] for index in members) for members in sorted(groups))
