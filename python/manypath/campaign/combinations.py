"""Factors and their combinations; the number of combinations is known without making them."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
    if not rows:
        raise UserError("factors: there are no combinations: give one or more, or None for none")
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
    # Lists of times from numpy have None for NaT, and numbers for nanoseconds.
    is_time = getattr(getattr(values, "dtype", None), "kind", "") in ("m", "M")
    listed = values.tolist() if hasattr(values, "tolist") and not is_time else values
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
                raise UserError(f"factors.{name}: {told_twice(*twice)}")
        return
    twice = repeated(factors, label=lambda row: tuple(row.items()))
    if twice is not None:
        raise UserError(f"factors: {told_twice(*twice, 'combination')}")


def check_each_apart(names: Iterable[str], scenarios: Sequence[tuple[Mapping[str, Any], str]]) -> None:
    """Refuse two values of a factor that give the same scenarios with all values of the other factors.

    Such values are two forms of one value, such as ``"5 Mbit/s"`` and ``"5000 kbit/s"``.

    Raises
    ------
    UserError
        If there are two.
    """
    for name in names:
        documents: dict[Any, list[str]] = {}
        for chosen, document in scenarios:
            documents.setdefault(chosen[name], []).append(document)
        twice = repeated(documents.items(), label=lambda pair: tuple(pair[1]))
        if twice is not None:
            one, other = (quoted(value) for value, _ in twice)
            raise UserError(f"factors.{name}: {one} and {other} give the same scenario: give one of them")


def repeated(values: Iterable[Any], label: Callable[[Any], Any] = lambda value: value) -> tuple[Any, Any] | None:
    """Return the first two values with equal labels, which tables show as one value; None if there are none."""
    seen: dict[Any, Any] = {}
    for value in values:
        key = label(value)
        key = key if isinstance(key, Hashable) else quoted(key)
        try:
            if key in seen:
                return seen[key], value
            seen[key] = value
        except TypeError:  # a tuple with a list in it
            continue
    return None


def told_twice(one: Any, other: Any, kind: str = "value") -> str:
    """Return the message about two values with equal labels; values such as 1 and True differ, but equal each other."""
    if quoted(one) == quoted(other):
        return f"{quoted(other)} occurs twice: give each {kind} once"
    return f"{quoted(one)} and {quoted(other)} are one {kind} in tables: give {kind}s that differ there"


def check_labels(chosen: Mapping[str, Any]) -> None:
    """Refuse values that cannot name a group of results, and numbers with more digits than Python turns into text.

    Raises
    ------
    UserError
        If a value is or contains such a number, or is NaN, NaT, pandas' NA, a list or another value that may change.
    """
    for name, value in chosen.items():
        try:
            hash(value)
            str(value)
            if not _equals_itself(value):  # it would select no run
                raise TypeError
        except (TypeError, ArithmeticError):
            right = "give texts, numbers or tuples"
            raise UserError(f"factors.{name}: {quoted(value)} cannot be a label: {right}") from None
        except ValueError:
            raise UserError(f"factors.{name}: {quoted(value)} cannot be named in tables: give a shorter one") from None


def _equals_itself(value: Any) -> bool:
    """Whether a value is not missing, as NaN, NaT and pandas' NA are; a tuple has no such value."""
    if isinstance(value, tuple):
        return all(map(_equals_itself, value))
    return bool(operator.eq(value, value))


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
    match = PART.fullmatch(text("shard", shard, '"2/4" for the second of four'))
    if match is None or not 1 <= int(match["number"]) <= int(match["parts"]):
        raise UserError(f'shard: {quoted(shard)} is no part: write "2/4" for the second of four')
    return int(match["number"]) - 1, int(match["parts"])


PART = re.compile(r"\s*(?P<number>\d{1,18})\s*/\s*(?P<parts>\d{1,18})\s*")
"""A part of a campaign. Python reads no number of thousands of digits."""
