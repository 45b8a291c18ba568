"""A factor: one setting with two levels that a paper does not specify, or that may differ from its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from manypath.papers.switch import Switch

Deviation = Literal["stated", "silent", "contradicts"]
"""Relation of the changed level to the paper. `stated`: the paper states this level, but the plain runs have the other
one. `silent`: the paper does not specify the level. `contradicts`: the paper states the other level."""

PENALTY: Mapping[Deviation, float] = {"stated": 0.0, "silent": 0.01, "contradicts": 0.03}
"""Penalty of a change, in units of the mean credit: 0.01 is the credit of one of 100 claims."""

Combination = frozenset[str]
"""Names of the changed factors; empty for the settings of the plain runs."""

AS_STATED: Combination = frozenset()


@dataclass(frozen=True)
class Factor:
    """A factor at two levels.

    Attributes
    ----------
    name : str
        Short name. A factor has the same name in all papers of a group.
    stated : str
        Description of the level of the plain runs.
    switch : Switch
        Change to the other level.
    deviation : Deviation
        Relation of the other level to the text of the paper.
    """

    name: str
    stated: str
    switch: Switch
    deviation: Deviation = "silent"


def penalty(factors: Iterable[Factor], changed: Combination) -> float:
    """Return the penalty of changed factors."""
    return sum(PENALTY[factor.deviation] for factor in factors if factor.name in changed)


def ordered(factors: Iterable[Factor], changed: Combination) -> tuple[str, ...]:
    """Return the names of changed factors in the order of the factors."""
    return tuple(factor.name for factor in factors if factor.name in changed)


def joined(factors: Iterable[Factor], changed: Combination) -> Switch:
    """Return one switch that makes all changes, in the order of the factors."""
    switches = [factor.switch for factor in factors if factor.name in changed]
    return Switch(
        name=" + ".join(switch.name for switch in switches),
        says="; ".join(switch.says for switch in switches),
        change=lambda scenario: reduce(lambda done, switch: switch.change(done), switches, scenario),
    )
