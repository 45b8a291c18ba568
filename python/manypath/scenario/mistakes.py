"""From pydantic's list of errors to one clear line for each mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from manypath.errors import UserError, quoted, remedy
from manypath.quantity import Quantity


def user_error(error: ValidationError, fields: Any) -> UserError:
    """What is wrong with `fields`, one line for each mistake: ``field: value is wrong: what would be right``."""
    return UserError("\n".join(_lines(error, fields, [])))


def _lines(error: ValidationError, fields: Any, within: list[str]) -> Iterator[str]:
    for details in error.errors():
        context = details.get("ctx", {})
        if details["type"] == "too_short" and len(details["input"]) >= context["min_length"]:
            # Long enough, but for entries that are wrong themselves and have lines of their own.
            continue
        place = within + _place(details["loc"], fields)
        cause = context.get("error")
        if isinstance(cause, ValidationError):
            yield from _lines(cause, details["input"], place)
            continue
        if details["type"] in OF_KEYS:
            place.append(context["key"])
        said = _said(details["type"], details["input"], context, details["msg"])
        yield f"{'.'.join(place)}: {said}" if place else said


def _place(location: Sequence[str | int], fields: Any) -> list[str]:
    """The dotted place of a mistake, without the kinds that pydantic adds where a field is a choice of models."""
    place: list[str] = []
    here: Any = fields
    for step in location:
        if step in _kinds(here) and not (isinstance(here, Mapping) and step in here):
            continue
        place.append(str(step))
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
    return place


def _kinds(value: Any) -> tuple[Any, ...]:
    """What a value calls itself where a field is a choice of models; a flow that says nothing is SCTP."""
    if isinstance(value, Mapping):
        return tuple(kind for kind in (value.get("kind"), value.get("transport", "sctp")) if isinstance(kind, str))
    return () if value is None else ("sctp",)


def _said(kind: str, value: Any, context: Mapping[str, Any], message: str) -> str:
    """What is wrong with the value and what would be right."""
    written = _written(value, value)
    match kind:
        case "unknown_key" | "wrong_key":
            return message
        case "literal_error":
            return f"{written} is unknown: {remedy(quoted(value, ''), _choices(context['expected']))}"
        case "union_tag_invalid":
            tag = str(context["tag"])
            field = "transport" if "transport" in context["discriminator"] else "kind"
            return f'{field} "{tag}" is unknown: {remedy(tag, _choices(context["expected_tags"]))}'
    if kind in SAID:
        bounds = {name: _written(bound, value) if name in BOUNDS else bound for name, bound in context.items()}
        return SAID[kind].format(value=written, **bounds)
    return f"{written} cannot be used: {message[0].lower()}{message[1:]}"


def _written(number: Any, value: Any) -> str:
    """How a message shows a value or a bound of it: with a unit if the value is a quantity that is not zero."""
    if isinstance(value, Quantity) and number:
        return value.dimension.show(number)
    return quoted(number)


def _choices(expected: str) -> list[str]:
    """The names in pydantic's "'a', 'b' or 'c'"."""
    return expected.split("'")[1::2]


OF_KEYS = {"unknown_key", "wrong_key"}
"""Mistakes of our own whose context names the key that they are about."""

BOUNDS = {"gt", "ge", "lt", "le", "multiple_of"}
"""What pydantic calls the bounds of a number."""

SAID = {
    "missing": "is missing: give it a value",
    "value_error": "{error}",
    "greater_than": "{value} is too small: give more than {gt}",
    "greater_than_equal": "{value} is too small: give {ge} or more",
    "less_than": "{value} is too large: give less than {lt}",
    "less_than_equal": "{value} is too large: give {le} or less",
    "too_short": "is empty: give {min_length} or more",
    "multiple_of": "{value} does not fit: give a multiple of {multiple_of}",
    "union_tag_not_found": "{value} says no kind: add kind = ...",
    "model_type": "{value} is no {class_name}: give {class_name}(...), or its fields as a table",
    "model_attributes_type": "{value} is no table: give one with its kind and its other fields",
    "dataclass_type": "{value} is no table: give values by name",
    "dict_type": "{value} is no table: give values by name",
    "mapping_type": "{value} is no table: give values by name",
    "tuple_type": "{value} is no list: give one, even of a single value",
    "string_type": "{value} is no text: write one",
    "finite_number": "{value} is no number: write one",
    "bool_type": "{value} is neither true nor false: write one of the two",
    "bool_parsing": "{value} is neither true nor false: write one of the two",
    "int_type": "{value} is no whole number: write one",
    "int_parsing": "{value} is no whole number: write one",
    "int_from_float": "{value} is no whole number: write one",
    "float_type": "{value} is no number: write one",
    "float_parsing": "{value} is no number: write one",
}
"""What is said of each kind of mistake that pydantic knows."""
