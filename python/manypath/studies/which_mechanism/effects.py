"""Main effects and interactions of a full factorial experiment on two levels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from manypath.papers.evidence import Evidence
from manypath.papers.paired import holm, p_different
from manypath.stats.looks import SIGNIFICANCE
from manypath.studies.which_mechanism.scenarios import CMT, MECHANISMS

Term = tuple[str, ...]
"""One mechanism (its main effect) or two (their interaction)."""

Combination = frozenset[str]
"""The mechanisms that are on."""

TERMS: tuple[Term, ...] = tuple(term for size in (1, 2) for term in combinations(MECHANISMS, size))
"""All main effects, then all interactions of two."""

COMBINATIONS = tuple(
    frozenset(name for name, on in zip(MECHANISMS, levels, strict=True) if on)
    for levels in product((False, True), repeat=len(MECHANISMS))
)
"""All combinations of mechanisms."""

AS_GOOD = 0.98
"""Part of the best combination's payload rate from which a combination counts as enough."""

DIGITS = 9
"""Decimal places of an effect without rounding noise: rates are whole packets over whole seconds."""


@dataclass(frozen=True)
class Block:
    """The payload rates of one asymmetry and order, Mbit/s: one array of replications for each combination."""

    rates: dict[Combination, NDArray[np.float64]]

    @staticmethod
    def of(results: Evidence, asymmetry: str, ordered: bool) -> Block:
        """Return the block of an asymmetry and order."""
        levels = {each: {name: name in each for name in MECHANISMS} for each in COMBINATIONS}
        where = {"asymmetry": asymmetry, "ordered": ordered}
        return Block({each: results.goodput("factorial", CMT, **where, **levels[each]) for each in COMBINATIONS})

    def effect(self, term: Term) -> NDArray[np.float64]:
        """Return the effect of a term in each replication, Mbit/s.

        The main effect of a mechanism is the rate with it less the rate without it, averaged over all combinations of
        the others. The interaction of two is half of the difference between the effects of the one with and without the
        other. G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for Experimenters, 2nd ed., 2005, chapter 5.
        """
        signs = {each: np.prod([1.0 if name in each else -1.0 for name in term]) for each in COMBINATIONS}
        total = sum(signs[each] * rates for each, rates in self.rates.items())
        return np.asarray(np.round(total * 2.0 / len(COMBINATIONS), DIGITS), dtype=np.float64)

    def shown(self) -> set[Term]:
        """Return the terms whose effect differs from 0 at 95 %, by Holm's correction over all terms."""
        p_values = {}
        for term in TERMS:
            effect = self.effect(term)
            p_values[term] = p_different(effect)
        return {term for term, p in holm(p_values).items() if p <= SIGNIFICANCE}

    def mean(self, combination: Combination) -> float:
        """Return the mean payload rate with these mechanisms on, Mbit/s."""
        return float(self.rates[combination].mean())

    def best(self) -> Combination:
        """Return the combination with the highest mean."""
        return max(COMBINATIONS, key=self.mean)

    def enough(self) -> Combination:
        """Return the smallest combination that is enough; of several, the one with the highest mean."""
        goal = AS_GOOD * self.mean(self.best())
        good = [each for each in COMBINATIONS if self.mean(each) >= goal]
        return min(good, key=lambda each: (len(each), -self.mean(each)))


def words(combination: Combination) -> str:
    """Return the names of the mechanisms of a combination."""
    return ", ".join(MECHANISMS[name] for name in MECHANISMS if name in combination) or "none"
