"""Factors and their combinations; the number of combinations is known without making them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from manypath.arguments import in_order, text
from manypath.errors import UserError, quoted

Factors = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]
"""Values for all combinations, or a list of combinations."""


def read_factors(factors: Any) -> Factors:
    """Return the factors with their values in sequences; numpy arrays become lists of numbers.

    Raises
    ------
    UserError
        If they are neither lists of values nor combinations of the same names.
    """
    if factors is None:
        return {}
    if isinstance(factors, Mapping):
        return {text("factors", name, "names of factors"): _values(name, values) for name, values in factors.items()}
    rows = list(factors) if isinstance(factors, Iterable) else [factors]
    if not all(isinstance(row, Mapping) for row in rows):
        raise UserError(
            f'factors: {quoted(factors)} are no factors: give {{"cc": ["lia", "olia"]}}, or a list of combinations'
        )
    for row in rows:
        if set(row) != set(rows[0]):
            raise UserError(f"factors: {quoted(row)} has other names than {quoted(rows[0])}: give all the same names")
    for name in names(rows):
        text("factors", name, "names of factors")
    return rows


def names(factors: Factors) -> list[str]:
    """Return the names of the factors."""
    if isinstance(factors, Mapping):
        return list(factors)
    return list(factors[0]) if factors else []


def _values(name: str, values: Any) -> Sequence[Any]:
    """Return the values of a factor; sequences are not copied, because a range may be larger than memory."""
    in_order(f"factors.{name}", values)
    listed = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(listed, str | Mapping) and isinstance(listed, Iterable):
        several = listed if isinstance(listed, Sequence) else [*listed]
        try:
            if len(several):
                return several
        except OverflowError:
            raise UserError(f"factors.{name}: {quoted(values)} has too many values: give fewer") from None
    raise UserError(f"factors.{name}: {quoted(values)} is no list of values: give one or more in a list")


def count(factors: Factors) -> int:
    """Return the number of combinations."""
    return math.prod(map(len, factors.values())) if isinstance(factors, Mapping) else len(factors)


def check_each_once(factors: Factors) -> None:
    """Refuse repeated values and combinations, because their runs would count twice in means and intervals.

    Raises
    ------
    UserError
        If two values or combinations are equal.
    """
    if isinstance(factors, Mapping):
        for name, values in factors.items():
            twice = repeated(values)
            if twice is not None:
                raise UserError(f"factors.{name}: {quoted(twice[0])} occurs twice: give each value once")
        return
    twice = repeated([tuple(row.items()) for row in factors])
    if twice is not None:
        raise UserError(f"factors: {quoted(dict(twice[0]))} occurs twice: give each combination once")


def repeated(values: Iterable[Any]) -> tuple[Any] | None:
    """Return the first value that equals an earlier one, in a tuple; None without repetitions."""
    seen: set[Any] = set()
    for value in values:
        key = value if isinstance(value, Hashable) else quoted(value)
        try:
            if key in seen:
                return (value,)
            seen.add(key)
        except TypeError:  # a tuple with a list in it
            continue
    return None


def combinations(factors: Factors) -> Iterator[Mapping[str, Any]]:
    """Iterate over all combinations, with the last factor varying fastest; or over the given list of combinations."""
    if isinstance(factors, Mapping):
        for values in itertools.product(*factors.values()):
            yield dict(zip(factors, values, strict=True))
    else:
        yield from factors


def deal(shard: str | None) -> tuple[int, int]:
    """Read ``"2/4"``, the second of four parts, as (1, 4); None is (0, 1)."""
    if shard is None:
        return 0, 1
    number, slash, parts = text("shard", shard, '"2/4" for the second of four').partition("/")
    if not (slash and number.strip().isdecimal() and parts.strip().isdecimal() and 1 <= int(number) <= int(parts)):
        raise UserError(f'shard: {quoted(shard)} is no part: write "2/4" for the second of four')
    return int(number) - 1, int(parts)
