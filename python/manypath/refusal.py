"""What the engine refuses, said as every other mistake: ``field: value cannot be used: give what would be right``.

The engine itself says ```field` is value, expected what would be right``, with sizes in bytes. A congestion control
says the same of its parameters, without the marks.
"""

from __future__ import annotations

import re

from manypath.quantity import SIZE


def told(error: Exception | str) -> str:
    """The words for a user; lines of another form stay as they are."""
    return "\n".join(_line(line) for line in str(error).splitlines())


def _line(said: str) -> str:
    value = VALUE.fullmatch(said)
    if value is None:
        form = FORM.fullmatch(said)
        return f"{form['field']}: {form['said']}" if form is not None else said
    right = MARKED.sub(r"\1", value["right"])
    return SIZES.sub(_size, f"{value['field'] or value['parameter']}: {value['value']} cannot be used: give {right}")


def _size(match: re.Match[str]) -> str:
    """One size, or a range of sizes, in the units that people write."""
    return " to ".join(SIZE.show(int(number)) for number in match.groups() if number is not None)


VALUE = re.compile(r"(?:`(?P<field>[^`]+)`|(?P<parameter>[^\s`]+)) is (?P<value>.+?), expected (?P<right>.+)")
"""A value that makes no sense."""

FORM = re.compile(r"`(?P<field>[^`]+)`: (?P<said>.+)")
"""A part of a document that has another form."""

MARKED = re.compile(r"`([^`]+)`")
"""Another field, by its name."""

SIZES = re.compile(r"\b(\d+)(?: to (\d+))? bytes\b")
"""Sizes as the engine writes them."""
