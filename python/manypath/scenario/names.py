"""Checks of names in flows."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from manypath import _native
from manypath.errors import quoted
from manypath.refusal import told


def known_algorithm(name: str) -> str:
    """Refuse unknown congestion controls and invalid parameters of them."""
    mistake = _native.algorithm_mistake(name)
    if mistake is not None:
        raise ValueError(told(mistake))
    return name


def as_shown(name: str) -> str:
    """Refuse control characters and marks of the direction of text: a page or a terminal would show another name."""
    found = [letter for letter in name if letter in MARKS or unicodedata.category(letter) in CONTROLS]
    if found:
        visible = "".join(f"\\u{ord(letter):04x}" if letter in found else letter for letter in name)
        raise ValueError(f"{quoted(visible)} has the invisible character U+{ord(found[0]):04X}: remove it")
    return name


def no_path_twice(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a path that is named twice."""
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise ValueError(f'"{path}" is named twice: name each path once')
        seen.add(path)
    return paths


class _Names:
    """Schema of congestion controls: all names, optionally with parameters."""

    @staticmethod
    def __get_pydantic_json_schema__(core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        names = [name for name, _ in _native.algorithms()]
        with_parameters = f"^(?:{'|'.join(names)}):.+$"
        return {**handler(core), "anyOf": [{"enum": names}, {"pattern": with_parameters}]}


MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""The characters that only set the direction of text. Unicode annex 9, section 2."""

CONTROLS = frozenset({"Cc", "Zl", "Zp"})
"""Unicode categories of control characters, and of separators of lines and of paragraphs."""

Name = Annotated[str, AfterValidator(as_shown)]
"""A name of a link, a path or a flow."""

if TYPE_CHECKING:
    CongestionControl = str
    Scheduler = str
else:
    CongestionControl = Annotated[str, AfterValidator(known_algorithm), _Names()]
    Scheduler = Literal[tuple(name for name, _ in _native.schedulers())]
