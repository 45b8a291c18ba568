"""From pydantic's list of errors to one clear line for each mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from manypath.errors import UserError, remedy


def user_error(error: ValidationError, fields: Mapping[str, Any]) -> UserError:
    """What is wrong with `fields`, one line for each mistake: ``field: value is wrong: what would be right``."""
    return UserError("\n".join(_lines(error, fields, [])))


def _lines(error: ValidationError, fields: Any, within: list[str]) -> Iterator[str]:
    for details in error.errors():
        context = details.get("ctx", {})
        place = within + _place(details["loc"], fields)
        cause = context.get("error")
        if isinstance(cause, ValidationError):
            yield from _lines(cause, details["input"], place)
            continue
        if details["type"] == "unknown_key":
            place.append(context["key"])
        said = _said(details["type"], details["input"], context, details["msg"])
        yield f"{'.'.join(place)}: {said}" if place else said


def _place(location: Sequence[str | int], fields: Any) -> list[str]:
    """The dotted place of a mistake, without the kinds that pydantic adds where a field is a choice of models."""
    place: list[str] = []
    here = fields
    for index, step in enumerate(location):
        last = index == len(location) - 1
        if isinstance(here, Mapping) and step in here:
            here = here[step]
        elif isinstance(here, (list, tuple)) and isinstance(step, int) and step < len(here):
            here = here[step]
        elif isinstance(here, Mapping) and here.get("kind") == step and not (last and step == "kind"):
            continue
        place.append(str(step))
    return place


def _said(kind: str, value: Any, context: Mapping[str, Any], message: str) -> str:
    """What is wrong with the value and what would be right."""
    written = f'"{value}"' if isinstance(value, str) else f"{value}"
    match kind:
        case "unknown_key":
            return message
        case "missing":
            return "is missing: give it a value"
        case "value_error":
            return str(context["error"])
        case "greater_than":
            return f"{written} is too small: give more than {context['gt']}"
        case "greater_than_equal":
            return f"{written} is too small: give {context['ge']} or more"
        case "less_than":
            return f"{written} is too large: give less than {context['lt']}"
        case "less_than_equal":
            return f"{written} is too large: give {context['le']} or less"
        case "too_short":
            return f"is empty: give {context['min_length']} or more"
        case "literal_error" | "enum":
            return f"{written} is unknown: {remedy(str(value), _choices(context['expected']))}"
        case "union_tag_invalid":
            choices = _choices(context["expected_tags"])
            return f'kind "{context["tag"]}" is unknown: {remedy(str(context["tag"]), choices)}'
        case "union_tag_not_found":
            return f"{written} says no kind: add kind = ..."
        case "bool_type" | "bool_parsing":
            return f"{written} is neither true nor false: write one of the two"
        case "int_type" | "int_parsing" | "int_from_float":
            return f"{written} is no whole number: write one"
        case "float_type" | "float_parsing":
            return f"{written} is no number: write one"
        case _:
            return f"{written} cannot be used: {message[0].lower()}{message[1:]}"


def _choices(expected: str) -> list[str]:
    """The names in pydantic's "'a', 'b' or 'c'"."""
    return [part for index, part in enumerate(expected.split("'")) if index % 2]
