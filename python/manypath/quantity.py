"""Quantities as people write them ("10 Mbit/s", "1 ms", "500 kB") as integers in base units, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from manypath.errors import nearest


class QuantityError(ValueError):
    """A text or a number that is no such quantity; the message says what would be right."""


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its units, and how it is read and shown."""

    name: str
    """What the quantity is, as a noun: "rate"."""
    units: Mapping[str, int]
    """Base units in one unit, smallest first; the first is the base unit."""
    shown: tuple[str, ...]
    """Units that `show` chooses from, smallest first."""
    example: str
    """A right way to write one."""

    def parse(self, value: object) -> int:
        """The quantity in base units, exactly; a bare number counts base units.

        Raises
        ------
        QuantityError
            If the unit is none of this dimension, or the amount is no whole, not negative number of base units.
        """
        if isinstance(value, str):
            amount = self._parse_text(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LIMIT:
            amount = Fraction(value)
        else:
            raise QuantityError(f'{value!r} is no {self.name}: write "{self.example}"')
        return self._whole(amount, value)

    def show(self, amount: int) -> str:
        """The shortest exact way to write `amount` base units."""
        unit = self.shown[0]
        for candidate in self.shown:
            if amount >= self.units[candidate]:
                unit = candidate
        number = Fraction(amount, self.units[unit])
        decimal = _decimal(number)
        return f"{decimal} {unit}" if decimal is not None else f"{amount} {self.base_unit}"

    @property
    def base_unit(self) -> str:
        """The unit of the integers."""
        return next(iter(self.units))

    def _parse_text(self, text: str) -> Fraction:
        match = WRITTEN.fullmatch(text)
        if match is None:
            raise QuantityError(f'"{text}" is no {self.name}: write a number and a unit, such as "{self.example}"')
        number, unit = match["number"], match["unit"]
        if not unit:
            raise QuantityError(f'"{text}" has no unit: write "{number} {self._likely_unit(unit)}"')
        if unit not in self.units:
            raise QuantityError(
                f'"{text}" is no {self.name}, "{unit}" is none of its units: '
                f'write "{number} {self._likely_unit(unit)}" (units: {", ".join(self.units)})'
            )
        return Fraction(number) * self.units[unit]

    def _whole(self, amount: Fraction, value: object) -> int:
        written = f'"{value}"' if isinstance(value, str) else f"{value}"
        if amount < 0:
            raise QuantityError(f'{written} is negative: write a {self.name} such as "{self.example}"')
        if amount.denominator != 1:
            raise QuantityError(f"{written} is finer than 1 {self.base_unit}: round it to whole {self.base_unit}")
        if amount >= LIMIT:
            raise QuantityError(
                f'{written} is larger than can be counted: write a {self.name} such as "{self.example}"'
            )
        return int(amount)

    def _likely_unit(self, unit: str) -> str:
        meant = CONFUSED.get(unit.casefold())
        if meant is not None and meant in self.units:
            return meant
        return nearest(unit, self.units) or self.example.split()[1]


def _decimal(number: Fraction) -> str | None:
    """The number as a short decimal fraction, or None if it has none."""
    for digits in range(4):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            return f"{float(number):.{digits}f}" if digits else str(scaled.numerator)
    return None


WRITTEN = re.compile(r"\s*(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,2})?)\s*(?P<unit>\D*?)\s*")
"""A number and what follows it."""

LIMIT = 2**63
"""Quantities stay below this, so that every JSON reader can hold them."""

CONFUSED = {
    "bps": "bit/s",
    "kbps": "kbit/s",
    "mbps": "Mbit/s",
    "gbps": "Gbit/s",
    "k": "kB",
    "m": "MB",
    "g": "GB",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "minutes": "min",
    "msec": "ms",
    "usec": "us",
}
"""Units that people write, and the ones they mean."""

RATE = Dimension(
    name="rate",
    units={"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9},
    shown=("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    example="10 Mbit/s",
)
"""Rates, in bit/s."""

SPAN = Dimension(
    name="time",
    units={"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
    shown=("ns", "us", "ms", "s"),
    example="20 ms",
)
"""Lengths of time, in nanoseconds."""

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
)
"""Sizes, in bytes."""
