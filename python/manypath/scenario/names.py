"""Checks of names in flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema

from manypath import _native
from manypath.errors import quoted, visible
from manypath.refusal import mistake_of_control


def known_algorithm(name: str) -> str:
    """Refuse unknown congestion controls and invalid parameters of them."""
    mistake = mistake_of_control(name)
    if mistake is not None:
        raise ValueError(mistake)
    return name


def one_weight_each(name: str, info: ValidationInfo) -> str:
    """Refuse a congestion control whose parameter has another number of weights than the flow has paths."""
    paths = info.data.get("paths")
    return name if paths is None else weights_for(name, len(paths))


def weights_for(name: str, paths: int) -> str:
    """Refuse a congestion control with weights that are not one for each of this number of paths."""
    for part in name.partition(":")[2].split(","):
        key, _, ratio = (word.strip() for word in part.partition("="))
        given = ratio.count(":") + 1
        if key == WEIGHTS and ratio and not ratio[0].isalpha() and given != paths:
            right = ":".join(["1"] * paths) if paths <= FEW else "1:2:..."
            said = f"{quoted(name)} has {given} {'weight' if given == 1 else 'weights'}, but the flow has "
            said += f"{paths} {'path' if paths == 1 else 'paths'}: give one weight for each path, such as"
            raise ValueError(f"{said} {WEIGHTS}={right}")
    return name


def as_shown(name: str) -> str:
    """Refuse a name without a visible character, and one with characters that a terminal would obey, not show."""
    return visible_name(name, 'give a visible one, such as "a"')


def visible_name(name: str, right: str) -> str:
    """Check a name as `as_shown` does; `right` is the valid alternative to a name without a visible character."""
    found = next((letter for letter in name if visible(letter) != letter), None)
    if found is not None:
        raise ValueError(f"{quoted(visible(name))} has the invisible character U+{ord(found):04X}: remove it")
    if not any(letter.isprintable() and not letter.isspace() for letter in name):
        raise ValueError(f"{quoted(name)} is no name: {right}")
    return name


def no_path_twice(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a path that is named twice."""
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise ValueError(f"{quoted(path)} is named twice: name each path once")
        seen.add(path)
    return paths


class _Names:
    """Schema of congestion controls: all names, optionally with parameters."""

    @staticmethod
    def __get_pydantic_json_schema__(core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        names = [name for name, _ in _native.algorithms()]
        with_parameters = f"^(?:{'|'.join(names)}):.+$"
        return {**handler(core), "anyOf": [{"enum": names}, {"pattern": with_parameters}]}


WEIGHTS = "weights"
"""The parameter of congestion controls that is a ratio in the order of the paths."""

FEW = 8
"""Largest number of paths for which a message has a ratio of weights."""

Name = Annotated[str, AfterValidator(as_shown)]
"""A name of a link, a path, a flow or another part of an input file."""

if TYPE_CHECKING:
    CongestionControl = str
    Scheduler = str
else:
    CongestionControl = Annotated[str, AfterValidator(known_algorithm), _Names()]
    Scheduler = Literal[tuple(name for name, _ in _native.schedulers())]
