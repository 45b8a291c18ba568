"""Conversion of pydantic's errors to one line for each mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import length_hint
from typing import Any

from pydantic import ValidationError

from manypath.errors import UserError, quoted, remedy
from manypath.quantity import Quantity
from manypath.scenario import right_forms


def user_error(error: ValidationError, fields: Any) -> UserError:
    """Return the error for `fields`, one line for each mistake: ``field: value is wrong: valid alternative``."""
    # A value for both ends of a range may be wrong for both.
    lines = list(dict.fromkeys(_lines(error, fields, [])))
    more = [f"and {len(lines) - MOST} more mistakes"] if len(lines) > MOST else []
    return UserError("\n".join(lines[:MOST] + more))


def of_word(details: Mapping[str, Any]) -> str:
    """Return the message for a word of a command line that pydantic could not read, from an entry of its errors."""
    word, kind = quoted(details["input"]), details["type"]
    context = details.get("ctx", {})
    if kind in MESSAGES and kind != "value_error":
        is_number = bool(BOUNDS & context.keys())
        bounds = {name: quoted(_bound(bound)) if name in BOUNDS else bound for name, bound in context.items()}
        return MESSAGES[kind].format(value=word.strip('"') if is_number else word, **bounds)
    said = str(context.get("error", details["msg"]))
    _, one_of, known = said.partition(" is not one of ")
    if one_of:
        return f"{word} is unknown: {remedy(str(details['input']), _choices(known))}"
    return f"{word} cannot be used: {said[0].lower()}{said[1:].rstrip('.')}"


def _lines(error: ValidationError, fields: Any, within: list[str], beside: bool = False) -> Iterator[str]:
    """Yield a line for each mistake; `beside` wrong keys, none that may be a consequence of these.

    These are missing keys, and combinations of values that do not fit, which have no location.
    """
    for details in error.errors():
        if beside and (not details["loc"] or (details["type"] == "missing" and len(details["loc"]) == 1)):
            continue
        context = details.get("ctx", {})
        if details["type"] == "too_short" and length_hint(details["input"]) >= context["min_length"]:
            # Long enough; invalid entries, which pydantic leaves out, have their own lines.
            continue
        own, given = _place(details["loc"], fields)
        place = within + own
        cause = context.get("error")
        if isinstance(cause, ValidationError):
            yield from _lines(cause, details["input"], place)
            continue
        if details["type"] == OF_KEYS:
            yield from (f"{'.'.join([*place, _line(key)])}: {said}" for key, said in context["wrong"].items())
            if context["other"] is not None:
                yield from _lines(context["other"], details["input"], place, beside=True)
            continue
        field = place[-1] if place else ""
        if details["type"] == "missing":
            model = error.title if len(details["loc"]) == 1 else ""
            text = f"missing: give it a value{right_forms.of_missing(place, details['input'], model)}"
        else:
            text = _message(details["type"], _Value(details["input"], given), context, details["msg"], field)
        yield f"{'.'.join(place)}: {text}" if place else text


def _place(location: Sequence[str | int], fields: Any) -> tuple[list[str], Any]:
    """Return the dotted place of a mistake, and what the user wrote there; None if that is not known.

    The place is without the kinds that pydantic adds to fields with several models, and without the fields of a table
    for which the user wrote a short form, such as a single value.
    """
    place: list[str] = []
    here: Any = fields
    # The message of a wrong name has the name.
    for step in location[:-2] if location[-1:] == (OF_NAME,) else location:
        if step in _kinds(here) and not (isinstance(here, Mapping) and step in here):
            continue
        if isinstance(step, str) and isinstance(here, str | int | float | list | tuple):
            # Which end of a pair is wrong is not known, but the message has its value.
            here = here if isinstance(here, str) else UNKNOWN
            continue
        place.append(_line(step))
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = UNKNOWN
    return place, None if here is UNKNOWN else here


def _line(step: str | int) -> str:
    """Return a step of a place without line ends, and of bounded length."""
    return quoted(str(step), "")


def _kinds(value: Any) -> tuple[Any, ...]:
    """Return the kinds by which pydantic selects the model of a value; a flow without a transport is SCTP."""
    if isinstance(value, Mapping):
        return tuple(kind for kind in (value.get("kind"), value.get("transport", "sctp")) if isinstance(kind, str))
    return () if value is UNKNOWN else ("sctp",)


@dataclass(frozen=True)
class _Value:
    """An invalid value as pydantic has it, and as the user wrote it; None if that is not known."""

    read: Any
    given: Any

    def written(self, number: Any) -> str:
        """Return the value or a bound of it for a message; with a unit if the value is a quantity."""
        if not isinstance(self.read, Quantity):
            return quoted(number)
        dimension = self.read.dimension
        return dimension.show(number) if number else f"0 {dimension.unit_of(self.given)}"


def _message(kind: str, given: _Value, context: Mapping[str, Any], message: str, field: str) -> str:
    """Return the message for a mistake in a field: the value and a valid alternative."""
    value, written = given.read, given.written(given.read)
    match kind:
        case "literal_error":
            said = f"{written} is unknown: {remedy(quoted(value, ''), _choices(context['expected']))}"
        case "union_tag_invalid":
            tag = str(context["tag"])
            key = "transport" if "transport" in context["discriminator"] else "kind"
            said = f"{key} {quoted(tag)} is unknown: {remedy(tag, _choices(context['expected_tags']))}"
        case "model_type":
            said = f"{written} is no {context['class_name']}: {right_forms.of_model(context['class_name'])}"
        case "model_attributes_type" | "union_tag_not_found" if field in right_forms.KINDS:
            said = f"{written} is no table with a kind: {right_forms.of_field(field, value)}"
        case "dict_type" | "mapping_type" | "dataclass_type":
            said = f"{written} is no table: {right_forms.of_table(field)}"
        case "tuple_type":
            said = f"{written} is no list: {right_forms.of_list(field, value)}"
        case "too_short" if context["actual_length"]:
            said = f"has only {context['actual_length']}: give {context['min_length']} or more"
        case _ if kind in MESSAGES:
            bounds = {
                name: given.written(_bound(bound)) if name in BOUNDS else bound for name, bound in context.items()
            }
            said = MESSAGES[kind].format(value=written, **bounds)
        case _:
            said = f"{written} cannot be used: {message[0].lower()}{message[1:]}"
    return said


def _bound(number: Any) -> Any:
    """Return a bound without the fraction of a whole number: 3600 for 3600.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _choices(expected: str) -> list[str]:
    """Return the names in pydantic's "'a', 'b' or 'c'"."""
    return expected.split("'")[1::2]


MOST = 100
"""Largest number of mistakes that are told at once."""

UNKNOWN = object()
"""What the user wrote at a place, if that is not known."""

OF_KEYS = "wrong_keys"
"""Our own kind of mistake: wrong keys of a table, whose context has their messages and the error of the others."""

OF_NAME = "[key]"
"""Pydantic's last step of the location of a wrong name in a table; the step before it is the name."""

BOUNDS = {"gt", "ge", "lt", "le", "multiple_of"}
"""Pydantic's names of the bounds of a number."""

MESSAGES = {
    "value_error": "{error}",
    "greater_than": "{value} is too small: give more than {gt}",
    "greater_than_equal": "{value} is too small: give {ge} or more",
    "less_than": "{value} is too large: give less than {lt}",
    "less_than_equal": "{value} is too large: give {le} or less",
    "too_short": "is empty: give {min_length} or more",
    "multiple_of": "{value} does not fit: give a multiple of {multiple_of}",
    "union_tag_not_found": "{value} has no kind: add kind = ...",
    "model_attributes_type": "{value} is no table: give one with its kind and its other fields",
    "string_type": "{value} is no text: write a text, in quotation marks",
    "finite_number": "{value} is no finite number: write a finite number",
    "bool_type": "{value} is neither true nor false: write true or false",
    "bool_parsing": "{value} is neither true nor false: write true or false",
    "int_type": "{value} is no whole number: write a whole number",
    "int_parsing": "{value} is no whole number: write a whole number",
    "int_from_float": "{value} is no whole number: write a whole number",
    "float_type": "{value} is no number: write a number",
    "float_parsing": "{value} is no number: write a number",
}
"""Message for each of pydantic's kinds of mistakes."""
