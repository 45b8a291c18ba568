"""The model under every part of a scenario: frozen, strict about its keys, clear about mistakes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from manypath.errors import remedy
from manypath.quantity import RATE, SIZE, SPAN, Dimension
from manypath.scenario.mistakes import user_error

if TYPE_CHECKING:
    # A checker sees what may be written: a number of base units, or a number with its unit.
    Rate = Any
    Span = Any
    Size = Any
else:

    def _read_by(dimension: Dimension) -> BeforeValidator:
        return BeforeValidator(
            dimension.parse, json_schema_input_type=Annotated[Any, WithJsonSchema(_written(dimension))]
        )

    def _written(dimension: Dimension) -> dict[str, Any]:
        """What may stand in a file: base units, or a text with a unit."""
        units = "|".join(re.escape(unit) for unit in dimension.units)
        text = {"type": "string", "pattern": rf"^\s*[0-9.]+(?:[eE][-+]?[0-9]+)?\s*(?:{units})\s*$"}
        return {"anyOf": [{"type": "number", "minimum": 0}, text], "examples": [dimension.example]}

    Rate = Annotated[int, _read_by(RATE)]
    Span = Annotated[int, _read_by(SPAN)]
    Size = Annotated[int, _read_by(SIZE)]


class _Checked(type(BaseModel)):
    """Turns a failed construction into a `UserError`; nested parts keep pydantic's own, with their place."""

    if not TYPE_CHECKING:  # a checker reads the fields themselves

        def __call__(cls, *args: Any, **fields: Any) -> Any:
            try:
                return super().__call__(*args, **fields)
            except ValidationError as error:
                raise user_error(error, fields) from None


class Model(BaseModel, metaclass=_Checked):
    """A frozen value whose fields are checked when it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked again: ``link.but(rate="5 Mbit/s")``."""
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """What an editor is told of a file: a `kind` is never left out, although the field has a default."""
        schema = handler(core)
        table = handler.resolve_ref_schema(schema)
        if "kind" in table.get("properties", {}):
            table["required"] = ["kind", *table.get("required", [])]
        return schema

    @model_validator(mode="before")
    @classmethod
    def _know_the_keys(cls, fields: Any) -> Any:
        if isinstance(fields, Mapping):
            for key in fields:
                if key not in cls.model_fields:
                    hint = remedy(str(key), cls.model_fields)
                    raise PydanticCustomError("unknown_key", "is no key here: {hint}", {"key": str(key), "hint": hint})
        return fields
