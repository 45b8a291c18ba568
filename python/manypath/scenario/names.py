"""Checks of names in flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from manypath import _native
from manypath.refusal import told


def known_algorithm(name: str) -> str:
    """Refuse unknown congestion controls and invalid parameters of them."""
    mistake = _native.algorithm_mistake(name)
    if mistake is not None:
        raise ValueError(told(mistake))
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


if TYPE_CHECKING:
    CongestionControl = str
else:
    CongestionControl = Annotated[str, AfterValidator(known_algorithm), _Names()]
