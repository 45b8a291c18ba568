"""Conversion of texts with units ("10 Mbit/s", "1 ms", "500 kB") to integers in base units, and back.

A user writes a quantity with its unit. A number without a unit is refused, except zero. Only the engine's documents
have bare numbers, in base units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

from manypath import foreign_units
from manypath.errors import nearest, quoted


class QuantityError(ValueError):
    """A text or number is not a quantity of the wanted dimension; the message has a valid alternative."""


class Quantity(int):
    """A whole number of base units that keeps its dimension: fields of models have this type.

    It is accepted wherever a quantity of the same dimension is read: ``link.but(delay=other.delay)``. The result of a
    calculation is a plain number and needs a unit: ``f"{2 * link.rate} bit/s"``.
    """

    dimension: Dimension
    """Its dimension."""

    def __new__(cls, amount: int, dimension: Dimension) -> Quantity:
        """Make a quantity of `amount` base units."""
        quantity = super().__new__(cls, amount)
        quantity.dimension = dimension
        return quantity

    def __getnewargs__(self) -> Any:
        # Arguments of `__new__` for copies and pickles.
        return int(self), self.dimension


@dataclass(frozen=True)
class Dimension:
    """A dimension: its units, and how its quantities are read and shown."""

    name: str
    """Its name, as a noun: "rate"."""
    units: Mapping[str, int]
    """Size of each unit in base units, smallest first; the first is the base unit."""
    shown: tuple[str, ...]
    """Units for `show`, smallest first."""
    example: str
    """A valid quantity, for messages."""
    foreign: Callable[[str], Fraction | None]
    """Returns the size of other usual units in base units, for messages; None if a unit is unknown."""
    guesses: tuple[tuple[float, str], ...] = ()
    """Probable units of a number without one: below each bound the unit beside it, else the base unit."""
    packet: int = 0
    """Base units of one packet of 1500 bytes; 0 if the dimension is not measured in packets."""

    def parse(self, value: object) -> Quantity:
        """Return the exact quantity in base units.

        Parameters
        ----------
        value
            A text with a unit, a `Quantity` of this dimension, or zero.

        Raises
        ------
        QuantityError
            If the unit is missing or has another dimension, or the amount is negative, not a whole number of base
            units, or at least 2^63 base units.
        """
        if isinstance(value, str):
            return self._whole(self._parse_text(value), value)
        if isinstance(value, Quantity):
            if value.dimension != self:
                raise QuantityError(f'{value.dimension.show(value)} is no {self.name}: write "{self.example}"')
            return value
        number = number_of(value)
        if number == math.inf or (number is None and isinstance(value, int) and value > LIMIT):
            raise QuantityError(f"{quoted(value)} {self._too_large()}")
        if number is None or math.isnan(number):
            raise QuantityError(f'{quoted(value)} is no {self.name}: write "{self.example}"')
        if number == 0:
            return self.of(0)
        raise QuantityError(f"{quoted(str(value), '')} {self._without_unit(number)}")

    def of(self, amount: int) -> Quantity:
        """Return the quantity of `amount` base units."""
        return Quantity(amount, self)

    def show(self, amount: int) -> str:
        """Return the shortest exact text of `amount` base units; the larger unit if two texts are equally short."""
        fitting = self.shown[: self.shown.index(self.unit_for(amount)) + 1]
        exact = [(_decimal(Fraction(amount, self.units[unit])), unit) for unit in reversed(fitting)]
        return min((f"{number} {unit}" for number, unit in exact if number is not None), key=len)

    def unit_for(self, amount: int) -> str:
        """Return the largest unit that is not larger than `amount` base units."""
        fitting = [unit for unit in self.shown if amount >= self.units[unit]]
        return fitting[-1] if fitting else self.base_unit

    def unit_of(self, value: object) -> str:
        """Return the unit in a text; the base unit if there is none."""
        match = WRITTEN.fullmatch(value) if isinstance(value, str) and len(value) <= LONGEST else None
        return match["unit"] if match is not None and match["unit"] in self.units else self.base_unit

    @property
    def base_unit(self) -> str:
        """The base unit."""
        return next(iter(self.units))

    def _parse_text(self, text: str) -> Fraction:
        if len(text) > LONGEST:
            raise QuantityError(f"{quoted(text)} {self._too_long(text)}")
        match = WRITTEN.fullmatch(text)
        if match is None:
            raise QuantityError(
                f'{quoted(text)} is no {self.name}: write a number and a unit, such as "{self.example}"'
            )
        number, unit, exponent = match["number"], match["unit"], int(match["exponent"] or 0)
        if not float(match["mantissa"]) and unit in ("", *self.units):
            return Fraction(0)
        if not unit:
            raise QuantityError(f"{quoted(text)} {self._without_unit(float(number))}")
        if unit not in self.units:
            raise QuantityError(f"{quoted(text)} {self._other_unit(number, unit)}")
        if abs(exponent) > LARGEST_EXPONENT:
            raise QuantityError(f"{quoted(text)} {self._too_large() if exponent > 0 else self._too_fine()}")
        return Fraction(number) * self.units[unit]

    def _whole(self, amount: Fraction, text: str) -> Quantity:
        if amount < 0:
            raise QuantityError(f'{quoted(text)} is negative: write a {self.name} such as "{self.example}"')
        if amount >= LIMIT:
            raise QuantityError(f"{quoted(text)} {self._too_large()}")
        if amount.denominator != 1:
            raise QuantityError(f"{quoted(text)} {self._too_fine()}")
        return self.of(int(amount))

    def _without_unit(self, number: float) -> str:
        if number < 0:
            return f'is negative: write a {self.name} such as "{self.example}"'
        unit = next((unit for bound, unit in self.guesses if number < bound), self.base_unit)
        return f'has no unit: write "{self._likely(number, self.units[unit])}" (units: {", ".join(self.units)})'

    def _other_unit(self, number: str, unit: str) -> str:
        """Return what is wrong with a unit, with the same quantity in a valid unit if it is sure and exact."""
        if self.packet and PACKETS.match(unit):
            same = self._same(number, Fraction(self.packet))
            right = f'for packets of 1500 bytes write "{same}"' if same is not None else self._such_as()
            return f"counts packets: {right}"
        same = self._in_own_unit(number, unit.replace(" ", ""))
        right = f'write "{same}"' if same is not None else self._such_as()
        return f"is no {self.name}, {quoted(unit)} is none of its units: {right} (units: {', '.join(self.units)})"

    def _such_as(self) -> str:
        return f'write a {self.name} such as "{self.example}"'

    def _in_own_unit(self, number: str, unit: str) -> str | None:
        """Return the same quantity in an own unit: converted, or with the spelling of the unit corrected."""
        size = self.foreign(unit)
        if size is not None:
            return self._same(number, size)
        meant = nearest(unit, self.units) if len(unit) >= SHORTEST and not foreign_units.is_known(unit) else None
        # Another first letter may be another prefix, and so another quantity.
        return self._same(number, Fraction(self.units[meant])) if meant and meant[0] == unit[0] else None

    def _same(self, number: str, size: Fraction) -> str | None:
        """Return a number of units of this size in own units; None if it is not exact, negative or too large."""
        exponent = WRITTEN.fullmatch(number)
        if exponent is None or abs(int(exponent["exponent"] or 0)) > LARGEST_EXPONENT:
            return None
        amount = Fraction(number) * size
        if not 0 < amount < LIMIT or amount.denominator != 1:
            return None
        own = next((unit for unit, each in self.units.items() if each == size), None)
        return f"{number.lstrip('+')} {own}" if own is not None else self.show(int(amount))

    def _likely(self, number: float, unit: int) -> str:
        """Return the probably intended quantity, rounded to base units; the example if that is 0 or too large."""
        amount = number * unit
        return self.show(round(amount)) if 1 <= amount < LIMIT else self.example

    def _too_long(self, text: str) -> str:
        """Return what is wrong with a text of more than `LONGEST` characters."""
        number = LONG_NUMBER.match(text)
        if number is None:
            return f'is no {self.name}: write a number and a unit, such as "{self.example}"'
        if number["sign"] == "-":
            return f'is negative: write a {self.name} such as "{self.example}"'
        if len(number["digits"]) >= MOST_DIGITS:
            return self._too_large()
        return f'has {len(text)} characters, more than {LONGEST}: write a {self.name} such as "{self.example}"'

    def _too_large(self) -> str:
        unit = self.shown[-1]
        return f'is too large: write at most "{(LIMIT - 1) // self.units[unit]} {unit}"'

    def _too_fine(self) -> str:
        return f"is no multiple of 1 {self.base_unit}: round it to whole {self.base_unit}"


def number_of(value: object) -> float | None:
    """Return the value as a float; None for booleans, texts, time spans, and integers too large for a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError):  # numpy's time spans are integers without a number
        return None


def _decimal(number: Fraction) -> str | None:
    """Return the number with at most three decimals, or None if that is not exact."""
    for digits in range(4):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            return f"{float(number):.{digits}f}" if digits else str(scaled.numerator)
    return None


WRITTEN = re.compile(
    r"\s*(?P<number>(?P<mantissa>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:[eE](?P<exponent>[-+]?[0-9]+))?)"
    r"\s*(?P<unit>\D*?)\s*",
)
"""A number and its unit."""

SHORTEST = 3
"""Smallest number of characters of a unit whose spelling is corrected; shorter ones resemble several units."""

LONG_NUMBER = re.compile(r"\s*+(?P<sign>[-+]?)(?=[0-9])0*+(?P<digits>[0-9]*+)")
"""The beginning of a number; its digits are those before the decimal point, without leading zeros."""

MOST_DIGITS = 20
"""Smallest number of digits before the decimal point of numbers that are too large in every unit."""

LONGEST = 100
"""Largest number of characters of a quantity; this bounds the memory of exact fractions."""

LARGEST_EXPONENT = 99
"""Largest decimal exponent; this bounds the memory of exact fractions."""

LIMIT = 2**63
"""Exclusive upper limit of quantities: 64-bit signed integers of JSON readers."""

PACKETS = re.compile(r"pkts?\b|packets?\b|pps$", re.IGNORECASE)
"""Units that count packets."""

RATE = Dimension(
    name="rate",
    units={"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9},
    shown=("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    example="10 Mbit/s",
    foreign=foreign_units.rate_of,
    guesses=((1e4, "Mbit/s"),),
    packet=12_000,
)
"""Rates, in bit/s."""

SPAN = Dimension(
    name="time",
    units={"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
    shown=("ns", "us", "ms", "s"),
    example="20 ms",
    foreign=foreign_units.time_of,
    guesses=((1, "s"), (1e5, "ms")),
)
"""Durations, in nanoseconds."""

SIZE = Dimension(
    name="size",
    units={
        "B": 1,
        "kB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 2**10,
        "MiB": 2**20,
        "GiB": 2**30,
    },
    shown=("B", "kB", "MB", "GB"),
    example="500 kB",
    foreign=foreign_units.size_of,
    packet=1500,
)
"""Sizes, in bytes."""
