"""JSON schemas of the files that people write, so that editors complete, explain and check them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from manypath.campaign.sweep import Sweep
from manypath.emulation import Emulation
from manypath.expect import Description
from manypath.quantity import Quantity
from manypath.scenario import Scenario
from manypath.scenario.model import Model

FILES: dict[str, type[Scenario | Sweep | Description | Emulation]] = {
    "scenario": Scenario,
    "sweep": Sweep,
    "expect": Description,
    "emulation": Emulation,
}
"""Kinds of files: for ``manypath run``, ``sweep``, ``expect`` and ``emulate``."""


def file_schema(kind: str) -> dict[str, Any]:
    """Describe a kind of file as a JSON schema of draft 2020-12: texts with units and all short forms included.

    Parameters
    ----------
    kind
        One of `FILES`.
    """
    schema = _generated(FILES[kind])
    if kind == "sweep":
        _put_scenario(schema)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


def _generated(model: type[Model]) -> dict[str, Any]:
    return _rewritten(model.model_json_schema(schema_generator=_Generator), _as_json_schema)


class _Generator(GenerateJsonSchema):
    """Shows defaults as a file would have them."""

    def encode_default(self, dft: Any) -> Any:
        return super().encode_default(_as_written(dft))


def _as_written(value: Any) -> Any:
    """A default with units, without what a model leaves out."""
    if isinstance(value, Quantity):
        return value.dimension.show(value)
    if isinstance(value, Model):
        return {name: _as_written(field) for name, field in value if field is not None}
    return value


def _put_scenario(sweep: dict[str, Any]) -> None:
    """Say what the scenario of a sweep may hold."""
    scenario = _rewritten(_generated(Scenario), _unfinished)
    sweep["$defs"] |= {**scenario.pop("$defs"), "Scenario": scenario}
    choices = sweep["properties"]["scenario"]["anyOf"]
    choices[[choice.get("type") for choice in choices].index("object")] = {"$ref": "#/$defs/Scenario"}


def _rewritten(schema: Any, rewrite: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Rewrite a schema and every schema in it."""
    if isinstance(schema, list):
        return [_rewritten(part, rewrite) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        word: {name: _rewritten(part, rewrite) for name, part in value.items()}
        if word in NAMED
        else value
        if word in VALUES
        else _rewritten(value, rewrite)
        for word, value in rewrite(schema).items()
    }


def _as_json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out what pydantic writes although it says nothing to a reader of JSON schemas."""
    return {word: value for word, value in schema.items() if word not in IDLE}


def _unfinished(schema: dict[str, Any]) -> dict[str, Any]:
    """Let anything be missing: factors give it. So several of the choices may fit, too."""
    return {"anyOf" if word == "oneOf" else word: value for word, value in schema.items() if word != "required"}


IDLE = {"discriminator", "gt", "ge", "lt", "le", "multiple_of", "title"}
"""Words of pydantic's that are none of JSON schema, and titles, which repeat the names of fields and models."""

NAMED = {"properties", "$defs"}
"""Words whose tables hold names, not words."""

VALUES = {"default", "const", "enum", "examples"}
"""Words whose values are no schemas."""
