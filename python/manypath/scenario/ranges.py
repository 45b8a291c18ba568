"""Ranges that something is drawn from uniformly: message sizes, instants of beginning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from manypath.scenario.model import Model, Size, Span


class Range(Model):
    """Two ends, the lower field first; one value stands for both, a pair for the two."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """What an editor is told: the short forms, too."""
        table = handler.resolve_ref_schema(handler(core))
        end = next(iter(table["properties"].values()))["anyOf"]
        pair = {"type": "array", "items": {"anyOf": end}, "minItems": 2, "maxItems": 2}
        return {"anyOf": [*end, pair, table]}

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, fields: Any) -> Any:
        lower, upper = cls.model_fields
        match fields:
            case Mapping() | Model():
                return fields
            case [low, high]:
                return {lower: low, upper: high}
            case both:
                return {lower: both, upper: both}

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        lower, upper = type(self).model_fields
        low, high = getattr(self, lower), getattr(self, upper)
        if high < low:
            raise ValueError(f"{upper} {high} is below {lower} {low}: exchange the two")
        return self


class Sizes(Range):
    """Message sizes: ``1452``, ``("500 B", "1452 B")`` or ``Sizes(min=500, max=1452)``."""

    min: Size = Field(gt=0)
    """Smallest message in bytes."""
    max: Size = Field(gt=0)
    """Largest message in bytes."""


class Start(Range):
    """When a flow begins: ``"5 s"``, ``("0 s", "1 s")`` or ``Start(earliest="0 s", latest="1 s")``."""

    earliest: Span = 0
    """First instant, in nanoseconds since the run began."""
    latest: Span = 1_000_000_000
    """Last instant, in nanoseconds since the run began."""
