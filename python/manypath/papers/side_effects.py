"""What a cause breaks: the claims that stand without a change and are contradicted with it.

A change that makes one claim hold is a possible setting of the paper only if the other claims keep holding with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manypath.papers.causes import Verified, effects_on, proven
from manypath.papers.mutations import mutate
from manypath.papers.runner import Runner
from manypath.papers.switch import Mutation, Switch

SideEffects = Mapping[str, tuple[str, ...]]
"""Ids of the claims that a change breaks, by the description of the change."""


def side_effects(runner: Runner, verified: Sequence[Verified]) -> SideEffects:
    """Run the whole paper with each change with which a part of a claim holds, with the precision for mutations.

    Returns
    -------
    mapping
        For each of these changes, the claims that hold with full precision and with that for mutations, and are
        contradicted with the change.
    """
    changes = tuple(Mutation(switch.name, switch.says, switch.change) for switch in cures(verified).values())
    if not changes:
        return {}
    matrix = mutate(runner, changes).by_name
    stand = [
        item.claim.id
        for item in verified
        if item.check.verdict == "holds" and matrix.plain.get(item.claim.id) == "holds"
    ]
    return {
        change.says: tuple(number for number in stand if matrix.verdicts.get((number, change.name)) == "contradicted")
        for change in changes
    }


def cures(verified: Sequence[Verified]) -> dict[str, Switch]:
    """Return by name the changes that move a part of a claim significantly, so that it holds."""
    return {
        effect.switch.name: effect.switch
        for item in verified
        for _, effects in effects_on(item)
        for effect in proven(effects)
        if effect.holds
    }
