"""Assignment to a field of a scenario file by its dotted place, such as ``flows.cmt.cc``."""

from __future__ import annotations

from typing import Any

from manypath.errors import UserError, remedy


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
        raise UserError(f'"{place}" does not exist: {".".join(parents)} is {here!r}, which has no fields')


def _inside(here: Any, step: str, so_far: str, place: str) -> Any:
    if isinstance(here, list):
        return here[_index(here, step, place)]
    if isinstance(here, dict) and step in here:
        return here[step]
    where = so_far or "the scenario"
    known = here if isinstance(here, dict) else ()
    raise UserError(
        f'"{place}" does not exist: {where} has no "{step}" in its file: {remedy(step, map(str, known))}'
        if known
        else f'"{place}" does not exist: {where} has no fields'
    )


def _index(here: list[Any], step: str, place: str) -> int:
    if not step.isdecimal() or int(step) >= len(here):
        raise UserError(
            f'"{place}" does not exist: "{step}" is no index of a list of {len(here)}; indices begin with 0'
        )
    return int(step)
