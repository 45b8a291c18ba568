"""What a cause breaks: the claims that stand without a change and are contradicted with it.

A change that makes one claim hold is a possible setting of the paper only if the other claims keep holding with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manypath.papers.causes import Verified, effects_on, proven
from manypath.papers.mutations import Matrix
from manypath.papers.switch import Mutation

SideEffects = Mapping[str, tuple[str, ...]]
"""Ids of the claims that a change breaks, by the description of the change."""


def cures(verified: Sequence[Verified]) -> tuple[Mutation, ...]:
    """Return the changes that move a part of a claim significantly, so that it holds, for the mutation matrix."""
    found = {
        effect.switch.name: effect.switch
        for item in verified
        for _, effects in effects_on(item)
        for effect in proven(effects)
        if effect.holds
    }
    return tuple(Mutation(switch.name, switch.says, switch.change) for switch in found.values())


def side_effects(verified: Sequence[Verified], changes: Sequence[Mutation], matrix: Matrix) -> SideEffects:
    """Return what changes break.

    These are the claims that hold with full precision (`verified`) and with that of the matrix, and are contradicted
    with the change.
    """
    table = matrix.by_name
    stand = [
        item.claim.id
        for item in verified
        if item.check.verdict == "holds" and table.plain.get(item.claim.id) == "holds"
    ]
    return {
        change.says: tuple(number for number in stand if table.verdicts.get((number, change.name)) == "contradicted")
        for change in changes
    }
