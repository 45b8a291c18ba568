"""Checks of function arguments: an error is one line with the argument's name, its value and a valid alternative.

Models check their own fields.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar

from manypath.errors import LONGEST_PATH, UserError, quoted, remedy
from manypath.quantity import SIZE, SPAN, Quantity, QuantityError, number_of
from manypath.refusal import mistake_of_control

Kind = TypeVar("Kind")

NUMBERS = 2**64
"""Exclusive upper limit of seeds and replications: the engine uses 64-bit numbers."""


def of_kind(name: str, value: Any, kind: type[Kind], right: str) -> Kind:
    """Return the value if it has that class or protocol; `right` is the valid alternative in the error message."""
    if not isinstance(value, kind):
        raise UserError(f"{name}: {quoted(value)} is no {kind.__name__}: give {right}")
    return value


def whole(name: str, value: Any, what: str, *, least: int = 0, below: int = NUMBERS, right: str | None = None) -> int:
    """Return an integer of at least `least` and below `below`; numpy integers are accepted."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is not None and number >= below and right is None:
        raise UserError(f"{name}: {quoted(value)} is too large: give {least} to {below - 1}")
    if number is None or not least <= number < below:
        raise UserError(f"{name}: {quoted(value)} is not a {what}: give {right or f'{least} or more'}")
    return number


def truth(name: str, value: Any) -> bool:
    """Return a boolean; numbers and texts are refused, because any text would count as true."""
    if not is_truth(value):
        raise UserError(f"{name}: {quoted(value)} is neither true nor false: give True or False")
    return bool(value)


def truth_or_default(name: str, value: Any) -> bool | None:
    """Return a boolean, or None for a default."""
    if value is not None and not is_truth(value):
        raise UserError(
            f"{name}: {quoted(value)} is neither true nor false: give True or False, or None for the default"
        )
    return value if value is None else bool(value)


def is_truth(value: Any) -> bool:
    """Whether a value is a boolean, also of numpy."""
    # An import of numpy would slow down every command.
    return isinstance(value, bool) or f"{type(value).__module__}.{type(value).__name__}" in {
        "numpy.bool",
        "numpy.bool_",
    }


def disorder(value: Any) -> str | None:
    """Return what is wrong with a set in the place of a list; None for any other value.

    The order of a set of texts differs between processes, so the same script would have another input in each of them.
    """
    return f"{quoted(value)} has no order: give a list" if isinstance(value, set | frozenset) else None


def in_order(name: str, value: Kind) -> Kind:
    """Return the value unless it is a set, which has no order."""
    said = disorder(value)
    if said is not None:
        raise UserError(f"{name}: {said}")
    return value


def function(name: str, value: Any, of: str) -> None:
    """Refuse what is neither a function nor None; `of` is its argument in the message."""
    if value is not None and not callable(value):
        raise UserError(f"{name}: {quoted(value)} cannot be called: give a function of {of}, or None")


def number(name: str, value: Any) -> float:
    """Return any number; NaN is accepted and means that nothing was measured."""
    found = number_of(value)
    if found is None:
        raise UserError(f"{name}: {quoted(value)} is not a number: give one")
    return found


def positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    found = number(name, value)
    if not 0 < found < math.inf:
        raise UserError(f"{name}: {quoted(value)} is not a number above 0: give one")
    return found


def share(name: str, value: Any) -> float:
    """Return a share, such as a probability, above 0 and below 1."""
    found = number(name, value)
    if not 0 < found < 1:
        raise UserError(f"{name}: {quoted(value)} is not between 0 and 1: give a number such as 0.95")
    return found


def text(name: str, value: Any, right: str) -> str:
    """Return a text without a null character, which neither a name nor a word of a command has."""
    if not isinstance(value, str):
        raise UserError(f"{name}: {quoted(value)} is no text: give {right}")
    if "\0" in value:
        raise UserError(f"{name}: {quoted(value)} has a null character: leave it out")
    return value


def texts(name: str, value: Any, right: str) -> list[str]:
    """Return a list of texts; a single text becomes a list of one."""
    in_order(name, value)
    several = [value] if isinstance(value, str | bytes) or not _is_iterable(value) else list(value)
    return [text(name, each, right) for each in several]


def _is_iterable(value: Any) -> bool:
    """Whether a value can be iterated over; an array without dimensions has only the method."""
    try:
        iter(value)
    except TypeError:
        return False
    return True


def control(name: str, value: Any) -> str:
    """Return the name of a congestion control, which exists, with valid parameters."""
    mistake = mistake_of_control(text(name, value, 'the name of a congestion control, such as "cmt-rpv2"'))
    if mistake is not None:
        raise UserError(f"{name}: {mistake}")
    return value


def known(name: str, value: Any, names: Collection[str], what: str) -> str:
    """Return a text that is one of some names; `what` is what they name, for the error message."""
    if text(name, value, f"the name of a {what}") not in names:
        raise UserError(f"{name}: {quoted(value)} is no {what}: {remedy(value, names)}")
    return value


def items(name: str, value: Any, right: str) -> list[Any]:
    """Return the items of a list, an array or an iterator; texts, tables and sets are refused."""
    in_order(name, value)
    try:
        found = None if isinstance(value, str | bytes | bytearray | Mapping) else list(value)
    except TypeError:
        found = None
    if found is None:
        raise UserError(f"{name}: {quoted(value)} is no list: give {right}")
    return found


def table(name: str, value: Any, kind: type[Kind], right: str) -> dict[str, Kind]:
    """Return a table of texts and values of a class; `right` is the valid alternative in the error message."""
    if not isinstance(value, Mapping):
        raise UserError(f"{name}: {quoted(value)} is no table: give {right}")
    for key, inner in value.items():
        of_kind(f"{name}.{text(name, key, 'texts as names')}", inner, kind, right)
    return dict(value)


def each_once(name: str, values: Sequence[Any], what: str) -> None:
    """Refuse a list in which a value occurs twice; `what` is what the values are, for the error message."""
    for place, value in enumerate(values):
        if value in values[:place]:
            raise UserError(f"{name}: {quoted(value)} is given twice: give each {what} once")


def file(name: str, value: Any) -> str | PathLike[str]:
    """Return the path of a file or folder, whose length is within the usual limits of systems."""
    if not isinstance(value, str | PathLike) or not str(value):
        raise UserError(f"{name}: {quoted(value)} is no path: give a text or a pathlib.Path")
    encoded = str(value).encode(errors="replace")
    if len(encoded) >= LONGEST_PATH or any(len(part) > LONGEST_NAME for part in encoded.split(b"/")):
        raise UserError(
            f"{name}: {quoted(str(value))} is too long: give a path of less than {LONGEST_PATH} bytes, "
            f"each name in it at most {LONGEST_NAME}"
        )
    return value


def span(name: str, value: Any) -> Quantity:
    """Return a duration, such as ``"100 ms"``."""
    try:
        return SPAN.parse(value)
    except QuantityError as error:
        raise UserError(f"{name}: {error}") from None


def size(name: str, value: Any) -> Quantity:
    """Return a number of bytes, such as ``"4 MiB"``."""
    try:
        return SIZE.parse(value)
    except QuantityError as error:
        raise UserError(f"{name}: {error}") from None


def seed_of(value: Any, name: str = "seed") -> int:
    """Return a seed or the number of a replication."""
    return whole(name, value, "number of 64 bits", right="0 or more, below 2^64")


LONGEST_NAME = 255
"""Largest number of bytes of a name of a file on the usual systems."""

MOST_RUNS, MOST_SIMULATIONS, MOST_TRIES = 1_000, 5_000, 100
"""The largest numbers of runs of a case (measured or of a paper), simulated runs and attempts of a scenario: more would
take weeks."""

MOST_AT_ONCE = 256
"""The largest number of measurements at the same time: each has its own processes, namespaces and interfaces."""
