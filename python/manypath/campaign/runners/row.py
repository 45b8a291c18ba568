"""Rows of numbers from runners other than the simulator, and their parameters."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from manypath.campaign.reserved import row_mistake
from manypath.errors import UserError, quoted


def row(numbers: Any, factors: Collection[str]) -> str:
    """Return a row of numbers as the outcome of a run; None and NaN mean that nothing was measured.

    Raises
    ------
    ValueError
        If it is no mapping from names to numbers, or a name is that of a factor or of another column of results.
    """
    if not isinstance(numbers, Mapping) or not numbers:
        raise ValueError("gave no row of numbers: give names with numbers, such as goodput 4.7")
    found = {str(name): _number(name, value) for name, value in numbers.items()}
    mistake = row_mistake(found, factors)
    if mistake is not None:
        raise ValueError(mistake)
    return json.dumps(found)


def read_row(text: str) -> dict[str, Any]:
    """Return the numbers in a program's output: one JSON object, or lines ``NAME VALUE``, optionally with `=` or `:`.

    Raises
    ------
    ValueError
        If the text is neither, or has a name twice.
    """
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ValueError(f"printed invalid JSON ({error}): print one object of names and numbers") from None
    found: dict[str, Any] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        match = LINE.fullmatch(line)
        if match is None:
            raise ValueError(f'printed {quoted(line)}: print JSON, or only lines such as "goodput 4.7"')
        name = match["name"]
        if name in found:
            raise ValueError(f"printed {quoted(name)} twice: give each number a different name")
        found[name] = float(match["value"])
    return found


def parameters(factors: Mapping[str, Any]) -> str:
    """Return the values of factors as a document; equal values give equal documents."""
    for name, value in factors.items():
        if not isinstance(value, str | int | float | bool | None):
            raise UserError(f"factors.{name}: {quoted(value)} is no value for a runner: give numbers and texts")
    return json.dumps(dict(factors), sort_keys=True, ensure_ascii=False)


def _number(name: str, value: Any) -> float | int | None:
    number = value.item() if hasattr(value, "item") else value
    if number is None or (isinstance(number, float) and math.isnan(number)):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isinf(number):
        raise ValueError(f"gave {quoted(value)} as {name}: give a finite number")
    return number


LINE = re.compile(r"(?P<name>[^\s=:]+)\s*[\s=:]\s*(?P<value>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[nN]a[nN])")
"""A line with a name and a number."""
