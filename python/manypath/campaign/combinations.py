"""Factors and their combinations, counted before they are made."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from manypath.errors import UserError

Factors = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]
"""Values to combine in full, or the wanted combinations themselves."""


def check_factors(factors: Factors) -> None:
    """Refuse what is no list of values, or has more than can be counted."""
    if isinstance(factors, Mapping):
        for name, values in factors.items():
            try:
                is_list = not isinstance(values, str) and len(values) > 0
            except TypeError:
                is_list = False
            except OverflowError:
                raise UserError(f"factors.{name}: {values!r} has too many values: give fewer") from None
            if not is_list:
                raise UserError(f"factors.{name}: {values!r} is no list of values: give one or more in a list")


def count(factors: Factors) -> int:
    """How many combinations there are."""
    return math.prod(map(len, factors.values())) if isinstance(factors, Mapping) else len(factors)


def combinations(factors: Factors) -> Iterator[Mapping[str, Any]]:
    """Every combination of the values, the last factor varying fastest; or the combinations as they are given."""
    if isinstance(factors, Mapping):
        for values in itertools.product(*factors.values()):
            yield dict(zip(factors, values, strict=True))
    else:
        yield from factors


def deal(shard: str | None) -> tuple[int, int]:
    """Read ``"2/4"``, the second of four parts, as (1, 4); no shard is all in one part."""
    if shard is None:
        return 0, 1
    number, slash, parts = shard.partition("/")
    if not (slash and number.strip().isdecimal() and parts.strip().isdecimal() and 1 <= int(number) <= int(parts)):
        raise UserError(f'shard: "{shard}" is no part of a whole: write "2/4" for the second of four')
    return int(number) - 1, int(parts)
