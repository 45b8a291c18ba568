"""Assignment to fields of a scenario by their dotted place, such as ``flows.cmt.cc`` or ``flows.*.cc``."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from manypath.errors import UserError, quoted, remedy


def put(fields: dict[str, Any], place: str, value: Any) -> None:
    """Set a field in place; its parents must exist, the field itself may be missing.

    Raises
    ------
    UserError
        If there is no such place.
    """
    *parents, last = place.split(".")
    here: Any = fields
    for depth, step in enumerate(parents):
        here = _inside(here, step, ".".join(parents[:depth]), place)
    if isinstance(here, list):
        here[_index(here, last, place)] = value
    elif isinstance(here, dict):
        here[last] = value
    else:
        raise UserError(f"{quoted(place)} does not exist: {'.'.join(parents)} is {quoted(here)}, which has no fields")


def _inside(here: Any, step: str, so_far: str, place: str) -> Any:
    if isinstance(here, list):
        return here[_index(here, step, place)]
    if isinstance(here, dict) and step in here:
        return here[step]
    where = so_far or "the scenario"
    known = here if isinstance(here, dict) else ()
    raise UserError(
        f"{quoted(place)} does not exist: {where} has no {quoted(step)} in its file: {remedy(step, map(str, known))}"
        if known
        else f"{quoted(place)} does not exist: {where} has no fields"
    )


def _index(here: list[Any], step: str, place: str) -> int:
    # One index has one form, so two places can be compared as texts.
    if step not in map(str, range(len(here))):
        raise UserError(
            f"{quoted(place)} does not exist: {quoted(step)} is no index of a list of {len(here)}; indices begin with 0"
        )
    return int(step)


def matching(fields: Any, place: str) -> list[str]:
    """Return the existing places that match a dotted place, in which a step ``*`` stands for any name or index."""
    found: list[tuple[tuple[str, ...], Any]] = [((), fields)]
    for step in place.split("."):
        found = [((*way, name), inner) for way, here in found for name, inner in _parts(here) if step in (ANY, name)]
    return [".".join(way) for way, _ in found]


def replaced(fields: Any, place: str, value: Any) -> Any:
    """Return a copy of the fields with `value` at each existing place that matches a dotted place with ``*``."""
    step, _, rest = place.partition(".")

    def inside(name: str, here: Any) -> Any:
        if step not in (ANY, name):
            return here
        return replaced(here, rest, value) if rest else copy.deepcopy(value)

    if isinstance(fields, Mapping):
        return {name: inside(name, here) for name, here in fields.items()}
    if isinstance(fields, list | tuple):
        return [inside(str(number), here) for number, here in enumerate(fields)]
    return fields


def value_at(fields: Any, place: str) -> Any:
    """Return the value at an existing place without ``*``."""
    for step in place.split("."):
        fields = dict(_parts(fields))[step]
    return fields


def _parts(here: Any) -> Iterable[tuple[str, Any]]:
    """Return the fields of a table, or the items of a list, by name."""
    if isinstance(here, Mapping):
        return here.items()
    return ((str(number), item) for number, item in enumerate(here)) if isinstance(here, list | tuple) else ()


ANY = "*"
"""The step of a place that stands for any name or index."""
