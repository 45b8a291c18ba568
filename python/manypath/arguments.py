"""Arguments of functions: what is wrong with one is said in one line, with its name, its value and what would be right.

Fields of models are checked by the models themselves.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from os import PathLike
from typing import Any, TypeVar

from manypath.errors import UserError, quoted
from manypath.quantity import SIZE, SPAN, Quantity, QuantityError, number_of

Kind = TypeVar("Kind")

NUMBERS = 2**64
"""Seeds and replications stay below this: the engine's numbers have 64 bits."""


def of_kind(name: str, value: Any, kind: type[Kind], right: str) -> Kind:
    """The value, if it is of that class or protocol; else `right` says what would be."""
    if not isinstance(value, kind):
        raise UserError(f"{name}: {quoted(value)} is no {kind.__name__}: give {right}")
    return value


def whole(name: str, value: Any, what: str, *, least: int = 0, below: int = NUMBERS, right: str | None = None) -> int:
    """A whole number from `least` on, below `below`; numbers of numpy are read, too."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number < below:
        raise UserError(f"{name}: {quoted(value)} is no {what}: give {right or f'{least} or more'}")
    return number


def number(name: str, value: Any) -> float:
    """Any number, not a number (NaN) included: it says that there was nothing to measure."""
    found = number_of(value)
    if found is None:
        raise UserError(f"{name}: {quoted(value)} is no number: give one")
    return found


def positive(name: str, value: Any) -> float:
    """A number above 0."""
    found = number(name, value)
    if not 0 < found < math.inf:
        raise UserError(f"{name}: {quoted(value)} is no number above 0: give one")
    return found


def share(name: str, value: Any) -> float:
    """A probability or another part of 1, neither 0 nor 1."""
    found = number(name, value)
    if not 0 < found < 1:
        raise UserError(f"{name}: {quoted(value)} is no part of 1: give a number between 0 and 1, such as 0.95")
    return found


def text(name: str, value: Any, right: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise UserError(f"{name}: {quoted(value)} is no text: give {right}")
    return value


def texts(name: str, value: Any, right: str) -> list[str]:
    """Several texts; one stands for a list of itself."""
    several = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [value]
    return [text(name, each, right) for each in several]


def file(name: str, value: Any) -> str | PathLike[str]:
    """The path of a file or folder."""
    if not isinstance(value, str | PathLike) or not str(value):
        raise UserError(f"{name}: {quoted(value)} is no path: give a text or a pathlib.Path")
    return value


def span(name: str, value: Any) -> Quantity:
    """A length of time, such as ``"100 ms"``."""
    try:
        return SPAN.parse(value)
    except QuantityError as error:
        raise UserError(f"{name}: {error}") from None


def size(name: str, value: Any) -> Quantity:
    """A number of bytes, such as ``"4 MiB"``."""
    try:
        return SIZE.parse(value)
    except QuantityError as error:
        raise UserError(f"{name}: {error}") from None


def seed_of(value: Any, name: str = "seed") -> int:
    """A seed, or the number of a replication."""
    return whole(name, value, "number of 64 bits", right="0 or more, below 2^64")
