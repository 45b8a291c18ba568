"""An open setting of a paper with its plausible values, and the combinations of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from manypath.papers.reconstruction.design import combinations, fold_over
from manypath.papers.reconstruction.factors import AS_STATED, Combination, Factor
from manypath.papers.switch import Switch


@dataclass(frozen=True)
class Value:
    """A plausible value of an open setting.

    Attributes
    ----------
    name : str
        Short name, unique within the setting.
    says : str
        The value as a phrase for tables.
    why : str
        Why a careful reader finds it plausible, with the source.
    switch : Switch or None
        Change of the plain scenarios to this value; None for the value that they have.
    """

    name: str
    says: str
    why: str
    switch: Switch | None = None


@dataclass(frozen=True)
class OpenSetting:
    """A setting that the text leaves open, or about which it contradicts itself.

    Attributes
    ----------
    name : str
        Short name.
    what : str
        What is set, as a phrase for tables.
    values : tuple of Value
        The plausible values. The first one is that of the plain scenarios.
    """

    name: str
    what: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        names = [value.name for value in self.values]
        plain = [value.name for value in self.values if value.switch is None]
        if len({*names}) < len(names) or len(names) < FEWEST or plain != names[:1]:
            raise ValueError(f"{self.name}: give two or more different values, only the first without a switch")

    @property
    def factors(self) -> tuple[Factor, ...]:
        """A two-level factor for each value that is not the plain one."""
        plain = self.values[0]
        return tuple(
            Factor(f"{self.name}={value.name}", plain.says, value.switch)
            for value in self.values
            if value.switch is not None
        )


FEWEST = 2
"""Smallest number of values of an open setting."""


def factors_of(settings: Sequence[OpenSetting]) -> tuple[Factor, ...]:
    """Return the factors of all settings, in their order."""
    return tuple(factor for setting in settings for factor in setting.factors)


def every_combination(settings: Sequence[OpenSetting]) -> list[Combination]:
    """Return every combination of values, the plain one first."""
    choices = [[None, *(factor.name for factor in setting.factors)] for setting in settings]
    return [frozenset(name for name in chosen if name is not None) for chosen in product(*choices)]


def design_of(settings: Sequence[OpenSetting]) -> list[Combination]:
    """Return the combinations of a design of resolution IV (`manypath.papers.reconstruction.design`), the plain first.

    A setting with three or more values has several columns. Where more than one of them is changed, one after the other
    has its turn.
    """
    names = [factor.name for factor in factors_of(settings)]
    if not names:
        return [AS_STATED]
    rows = combinations(names, fold_over(len(names)))
    return list(dict.fromkeys(_valid(settings, row, turn) for turn, row in enumerate(rows)))


def _valid(settings: Sequence[OpenSetting], row: Combination, turn: int) -> Combination:
    """Return a row of a design with at most one value of each setting."""
    chosen = [[factor.name for factor in setting.factors if factor.name in row] for setting in settings]
    return frozenset(names[turn % len(names)] for names in chosen if names)
