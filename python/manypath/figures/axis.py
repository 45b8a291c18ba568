"""Positions of the levels of a factor on an axis: numbers, quantities with units, or texts in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manypath.quantity import RATE, SIZE, SPAN, Dimension, QuantityError


@dataclass(frozen=True)
class Axis:
    """An axis for the levels of one factor.

    Attributes
    ----------
    unit : str
        Unit of the numbers; empty without a unit.
    words : tuple of str
        Tick labels, if the levels are texts.
    """

    unit: str = ""
    words: tuple[str, ...] = ()
    _places: Mapping[Any, float] = field(default_factory=dict)

    @staticmethod
    def of(levels: Iterable[Any]) -> Axis:
        """Return an axis with a position for each level."""
        different = list(dict.fromkeys(levels))
        if all(isinstance(level, int | float) and not isinstance(level, bool) for level in different):
            return Axis(_places={level: float(level) for level in different})
        for dimension in (RATE, SPAN, SIZE):
            amounts = _amounts(dimension, different)
            if amounts is not None:
                unit = dimension.unit_for(max(amounts))
                places = [amount / dimension.units[unit] for amount in amounts]
                return Axis(unit, _places=dict(zip(different, places, strict=True)))
        words = tuple(str(level) for level in different)
        return Axis(words=words, _places={level: float(place) for place, level in enumerate(different)})

    def place(self, level: Any) -> float:
        """Return the position of a level."""
        return self._places[level]


def _amounts(dimension: Dimension, levels: Sequence[Any]) -> list[int] | None:
    """Return the levels in base units; None if a level is not a quantity of this dimension."""
    if not all(isinstance(level, str) for level in levels):
        return None
    try:
        return [dimension.parse(level) for level in levels]
    except QuantityError:
        return None
