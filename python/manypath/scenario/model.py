"""The model under every part of a scenario: frozen, strict about its keys, clear about mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from manypath.errors import remedy
from manypath.quantity import RATE, SIZE, SPAN
from manypath.scenario.mistakes import user_error

if TYPE_CHECKING:
    # A checker sees what may be written: a number of base units, or a number with its unit.
    Rate = Any
    Span = Any
    Size = Any
else:
    Rate = Annotated[int, BeforeValidator(RATE.parse)]
    Span = Annotated[int, BeforeValidator(SPAN.parse)]
    Size = Annotated[int, BeforeValidator(SIZE.parse)]


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

    @model_validator(mode="before")
    @classmethod
    def _know_the_keys(cls, fields: Any) -> Any:
        if isinstance(fields, Mapping):
            for key in fields:
                if key not in cls.model_fields:
                    hint = remedy(str(key), cls.model_fields)
                    raise PydanticCustomError("unknown_key", "is no key here: {hint}", {"key": str(key), "hint": hint})
        return fields
