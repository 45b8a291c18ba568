"""Two halves of the claims: settings are fitted to one and tested on the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from manypath.papers.claim import Claim

HalfName = Literal["A", "B"]

Halves = Mapping[HalfName, tuple[str, ...]]
"""Ids of the claims of `A` and `B`."""


def halves_of(claims: Iterable[Claim]) -> Halves:
    """Divide claims into halves by their order and figures only, independent of results.

    The claims of each figure are assigned to the halves in turn. The first claim of each figure goes to the half that
    has fewer claims at that point.
    """
    figures: dict[str, list[str]] = {}
    for claim in claims:
        figures.setdefault(str(claim.figure), []).append(claim.id)
    halves: dict[HalfName, list[str]] = {"A": [], "B": []}
    for ids in figures.values():
        first, second = sorted(halves, key=lambda name: len(halves[name]))
        for place, number in enumerate(ids):
            halves[second if place % 2 else first].append(number)
    return {name: tuple(ids) for name, ids in halves.items()}
