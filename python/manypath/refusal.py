"""Error messages of the engine, in the form of all other messages: ``field: value cannot be used: give ALTERNATIVE``.

The engine writes ```field` is value, expected ALTERNATIVE``, with sizes in bytes. A congestion control writes the
same about its parameters, without backticks.
"""

from __future__ import annotations

import re

from manypath import _native
from manypath.errors import LINE, encodable, quoted, remedy
from manypath.quantity import SIZE


def mistake_of_control(name: str) -> str | None:
    """Return the mistake in the name of a congestion control, parameters included; None if the name is valid."""
    mistake = _native.algorithm_mistake(encodable(name))
    if mistake is not None and (len(name) > LINE or not name.isprintable()):
        known = [each for each, _ in _native.algorithms()]
        return f"there is no congestion control {quoted(name)}: {remedy(name, known)}"
    return None if mistake is None else told(mistake)


def told(error: Exception | str) -> str:
    """Return the message for a user; lines with another form are unchanged."""
    return "\n".join(_line(line) for line in str(error).splitlines())


def _line(said: str) -> str:
    value = VALUE.fullmatch(said)
    if value is None:
        form = FORM.fullmatch(said)
        return f"{form['field']}: {form['said']}" if form is not None else said
    field, written, right = value["field"] or value["parameter"], value["value"], value["right"]
    other = AT_MOST_ANOTHER.fullmatch(right)
    if other is not None and DEFAULTS.get(field.split(".", 2)[-1]) == written:
        # The user wrote the other field.
        right = f"at least {field}, which is {written}"
        field, written = other["field"], other["value"]
    right = MARKED.sub(r"\1", right)
    return SIZES.sub(_size, f"{field}: {written} cannot be used: give {right}")


def _size(match: re.Match[str]) -> str:
    """Return a size or a range of sizes with the shortest units."""
    return " to ".join(SIZE.show(int(number)) for number in match.groups() if number is not None)


VALUE = re.compile(r"(?:`(?P<field>[^`]+)`|(?P<parameter>[^\s`]+)) is (?P<value>.+?), expected (?P<right>.+)")
"""An invalid value."""

AT_MOST_ANOTHER = re.compile(r"at most `(?P<field>[^`]+)`, which is (?P<value>.+)")
"""A bound that is the value of another field."""

DEFAULTS = {"app.message.max": "1452 bytes"}
"""Default values of fields of a flow that another field bounds."""

FORM = re.compile(r"`(?P<field>[^`]+)`: (?P<said>.+)")
"""A part of a document with an invalid form."""

MARKED = re.compile(r"`([^`]+)`")
"""The name of another field, in backticks."""

SIZES = re.compile(r"\b(\d+)(?: to (\d+))? bytes\b")
"""Sizes as the engine writes them."""
