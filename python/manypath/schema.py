"""JSON schemas of input files, for completion, explanations and checks in editors."""

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
    """Return the JSON schema (draft 2020-12) of a kind of file, with texts with units and all short forms.

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
    """Generator that writes defaults in the form of a file."""

    def encode_default(self, dft: Any) -> Any:
        return super().encode_default(_as_written(dft))


def _as_written(value: Any) -> Any:
    """Return a default with units, without fields that are None."""
    if isinstance(value, Quantity):
        return value.dimension.show(value)
    if isinstance(value, Model):
        return {name: _as_written(field) for name, field in value if field is not None}
    return value


def _put_scenario(sweep: dict[str, Any]) -> None:
    """Insert the schema of scenarios into the schema of sweeps."""
    scenario = _rewritten(_generated(Scenario), _unfinished)
    sweep["$defs"] |= {**scenario.pop("$defs"), "Scenario": scenario}
    choices = sweep["properties"]["scenario"]["anyOf"]
    choices[[choice.get("type") for choice in choices].index("object")] = {"$ref": "#/$defs/Scenario"}


def _rewritten(schema: Any, rewrite: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Apply `rewrite` to a schema and to every schema in it."""
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
    """Remove pydantic's words that are not part of JSON schema, and the examples in Python."""
    kept = {word: value for word, value in schema.items() if word not in IDLE}
    if "description" in kept:
        kept["description"] = kept["description"].partition(EXAMPLES)[0]
    return kept


def _unfinished(schema: dict[str, Any]) -> dict[str, Any]:
    """Make all fields optional, because factors may set them. So several alternatives may match."""
    return {"anyOf" if word == "oneOf" else word: value for word, value in schema.items() if word != "required"}


IDLE = {"discriminator", "gt", "ge", "lt", "le", "multiple_of", "title"}
"""Pydantic's words that are not part of JSON schema, and titles, which repeat the names of fields and models."""

EXAMPLES = "\n\nExamples\n--------\n"
"""Heading of the examples in a docstring."""

NAMED = {"properties", "$defs"}
"""Words whose values are tables of named schemas."""

VALUES = {"default", "const", "enum", "examples"}
"""Words whose values are no schemas."""
