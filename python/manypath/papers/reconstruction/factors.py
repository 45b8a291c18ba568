"""A factor: one thing that a paper leaves open or that may have been otherwise, at two levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from manypath.papers.switch import Switch

Deviation = Literal["stated", "silent", "contradicts"]
"""`stated`: the paper says so, and the plain runs do otherwise. `silent`: the paper does not say. `contradicts`: the
paper says otherwise."""

PENALTY: Mapping[Deviation, float] = {"stated": 0.0, "silent": 0.01, "contradicts": 0.03}
"""What a change costs in units of the mean credit: one of 100 claims, or three of them."""

Combination = frozenset[str]
"""Names of the factors that are changed; the empty one is the paper as the plain runs have it."""

AS_STATED: Combination = frozenset()


@dataclass(frozen=True)
class Factor:
    """A factor at two levels.

    Attributes
    ----------
    name : str
        Short name. Papers of one group give a factor that they share the same name.
    stated : str
        What the plain runs do, as a phrase.
    switch : Switch
        What is done otherwise at the other level.
    deviation : Deviation
        How the other level relates to the text of the paper.
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
