"""Ranges of uniform random numbers: message sizes and start times."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from manypath.quantity import SIZE, SPAN, Dimension
from manypath.scenario.model import Model, Size, Span

MOST_MESSAGE = 1 << 26
"""Largest message, bytes; the limit of the engine (`payload.rs`)."""


class Range(Model):
    """Two ends, the lower field first; also read from a single value for both ends, or a pair."""

    dimension: ClassVar[Dimension]
    """Dimension of the ends."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema with the short forms."""
        table = handler.resolve_ref_schema(handler(core))
        end = next(iter(table["properties"].values()))["anyOf"]
        pair = {"type": "array", "items": {"anyOf": end}, "minItems": 2, "maxItems": 2}
        return {"anyOf": [*end, pair, table]}

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, fields: Any) -> Any:
        """Read the short forms; a mistake in one has the name of the whole range."""
        lower, upper = cls.model_fields
        match fields:
            case Mapping() | Model():
                return fields
            case [low, high]:
                return {lower: cls.dimension.parse(low), upper: cls.dimension.parse(high)}
            case both:
                return dict.fromkeys((lower, upper), cls.dimension.parse(both))

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        in_order(self, *type(self).model_fields)
        return self


def in_order(model: Model, *names: str) -> None:
    """Refuse quantities of a model that decrease in the order of `names`; pairs without defaults are checked first."""
    pairs = sorted(combinations(names, 2), key=lambda pair: not model.model_fields_set.issuperset(pair))
    for lower, upper in pairs:
        low, high = getattr(model, lower), getattr(model, upper)
        if high < low:
            show = high.dimension.show
            raise ValueError(f"{upper} {show(high)} is below {lower} {show(low)}: give {upper} equally much or more")


class Sizes(Range):
    """Message sizes: ``"1452 B"``, ``("500 B", "1452 B")`` or ``Sizes(min="500 B", max="1452 B")``.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Cbr(rate="1 Mbit/s", message=("500 B", "1 kB")).message
    Sizes(min='500 B', max='1 kB')
    """

    dimension = SIZE
    min: Size = Field(gt=0, le=MOST_MESSAGE)
    """Smallest message."""
    max: Size = Field(le=MOST_MESSAGE)
    """Largest message."""


class Start(Range):
    """Start time of a flow: ``"5 s"``, ``("0 s", "1 s")`` or ``Start(earliest="0 s", latest="1 s")``.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Sctp(paths=["south"], start=("0 s", "5 s")).start
    Start(earliest='0 ns', latest='5 s')
    """

    dimension = SPAN
    earliest: Span = "0 s"
    """Earliest start time, since the start of the run."""
    latest: Span = "1 s"
    """Latest start time, since the start of the run."""
