"""The tables of the study: the smallest sufficient combinations, and every effect with its interval."""

from __future__ import annotations

from manypath.papers.evidence import Evidence
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable
from manypath.studies.which_mechanism.effects import AS_GOOD, TERMS, Block, Combination, words
from manypath.studies.which_mechanism.scenarios import ASYMMETRIES, MECHANISMS, ORDERS

NOTHING: Combination = frozenset()
EVERYTHING: Combination = frozenset(MECHANISMS)


def _answers(results: Evidence) -> list[tuple[str, ...]]:
    rows = []
    for ordered, order in ORDERS.items():
        for asymmetry, paths in ASYMMETRIES.items():
            block = Block.of(results, asymmetry, ordered)
            best, enough = block.best(), block.enough()
            rates = [estimate(block.rates[each]) for each in (NOTHING, EVERYTHING, best, enough)]
            rows.append((f"{paths}, {order}", *rates[:2], f"{rates[2]}: {words(best)}", f"{rates[3]}: {words(enough)}"))
    return rows


def _effects(results: Evidence) -> list[tuple[str, ...]]:
    rows = []
    for ordered, order in ORDERS.items():
        for asymmetry, paths in ASYMMETRIES.items():
            block = Block.of(results, asymmetry, ordered)
            shown = block.shown()
            for term in TERMS:
                name = " and ".join(MECHANISMS[each] for each in term)
                sure = "yes" if term in shown else "no"
                rows.append((f"{paths}, {order}", name, estimate(block.effect(term)), sure))
    return rows


TABLES = (
    PaperTable(
        "Smallest sufficient combinations",
        "Payload rates in Mbit/s with 95 % intervals: without any mechanism, with all, with the best combination, and "
        f"with the smallest combination that reaches {AS_GOOD:.0%} of the best.",
        ("paths", "none", "all five", "best", "enough"),
        _answers,
    ),
    PaperTable(
        "Effects",
        "All main effects and interactions of two in Mbit/s, and whether they differ from 0 at 95 % with Holm's "
        "correction over the terms of the same paths.",
        ("paths", "term", "effect", "shown"),
        _effects,
    ),
)
"""The tables in the order of the page."""
