"""The model under every part of a scenario: frozen, strict about its keys, clear about mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, from_json

from manypath.errors import UserError, quoted, remedy
from manypath.quantity import LIMIT, RATE, SIZE, SPAN, Dimension, Quantity
from manypath.scenario.mistakes import user_error

if TYPE_CHECKING:
    # A checker sees what may be written: a text with a unit, or a quantity that was read before.
    Rate = Any
    Span = Any
    Size = Any
else:

    def _read_by(dimension: Dimension) -> WrapValidator:
        def read(value: Any, bounds: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Quantity:
            in_base_units = info.context == BASE_UNITS and type(value) is int and 0 <= value < LIMIT
            quantity = dimension.of(value) if in_base_units else dimension.parse(value)
            bounds(quantity)
            return quantity

        return WrapValidator(read, json_schema_input_type=Annotated[Any, WithJsonSchema(_written(dimension))])

    def _written(dimension: Dimension) -> dict[str, Any]:
        """What may stand in a file: a text with a unit, or zero."""
        units = "|".join(re.escape(unit) for unit in dimension.units)
        pattern = rf"^\s*(?:[0-9.]+(?:[eE][-+]?[0-9]+)?\s*(?:{units})|0)\s*$"
        return {"anyOf": [{"type": "string", "pattern": pattern}, {"const": 0}], "examples": [dimension.example]}

    Rate = Annotated[int, _read_by(RATE)]
    Span = Annotated[int, _read_by(SPAN)]
    Size = Annotated[int, _read_by(SIZE)]


def _is_truth(value: Any) -> bool:
    """Whether a value is true or false, numpy's included; pydantic would read 1 or 0."""
    # Importing numpy here would slow down every command.
    return isinstance(value, bool) or f"{type(value).__module__}.{type(value).__name__}" in {
        "numpy.bool",
        "numpy.bool_",
    }


def _other_type(field: FieldInfo, value: Any) -> str | None:
    """What is wrong with the type of a value that pydantic would convert; fields with a reader of their own judge it.

    Files have types, so that a text is no number and a number is no truth value. Numbers of numpy are numbers.
    """
    if field.annotation is bool and not _is_truth(value):
        return f"{quoted(value)} is neither true nor false: write one of the two"
    if field.annotation not in NUMBERS:
        return None
    if _is_truth(value):
        return f"{quoted(value)} is no number: write one"
    reads_texts = any(isinstance(part, BeforeValidator | WrapValidator) for part in field.metadata)
    if isinstance(value, str | bytes) and not reads_texts:
        return f"{quoted(value)} is a text: write a number, without quotation marks"
    return None


NUMBERS = (int, float, int | None, float | None)
"""Types of fields that take a number."""

BASE_UNITS = "base units"
"""The context in which models are read from documents: bare numbers are bit/s, nanoseconds and bytes."""


@contextmanager
def _refusing(fields: Any) -> Iterator[None]:
    """Raise the `UserError` of what is wrong with `fields` in place of pydantic's error."""
    try:
        yield
    except ValidationError as error:
        raise user_error(error, fields) from None


class _Checked(type(BaseModel)):
    """Turns a failed construction into a `UserError`; nested parts keep pydantic's own, with their place."""

    if not TYPE_CHECKING:  # a checker reads the fields themselves

        def __call__(cls, *args: Any, **fields: Any) -> Any:
            if args:
                field = next(iter(cls.model_fields))
                raise UserError(f"{cls.__name__}: {quoted(args[0])} has no name: write {cls.__name__}({field}=...)")
            with _refusing(fields):
                return super().__call__(**fields)


class Model(BaseModel, metaclass=_Checked):
    """A frozen value whose fields are checked when it is made.

    Rates, times and sizes are written as texts with units and read as integers: bit/s, nanoseconds and bytes.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True, validate_default=True
    )

    @classmethod
    def from_document(cls, fields: Mapping[str, Any]) -> Self:
        """Read a part of a document: there, bare numbers are quantities in base units.

        Raises
        ------
        UserError
            If it is no such part.
        """
        return cls.model_validate(fields, context=BASE_UNITS)

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Read plain data, as pydantic does it with the same options.

        Raises
        ------
        UserError
            If it is no such model.
        """
        with _refusing(obj):
            return super().model_validate(obj, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Read JSON in the same way.

        Raises
        ------
        UserError
            If it is no JSON, or no such model.
        """
        try:
            fields = from_json(json_data)
        except (ValueError, TypeError) as error:
            raise UserError(f"{cls.__name__}: {quoted(json_data)} is no JSON: {error}") from None
        return cls.model_validate(fields, **options)

    @classmethod
    def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
        """Read data in which every value is a text; a text is no number here, either.

        Raises
        ------
        UserError
            If it is no such model.
        """
        with _refusing(obj):
            return super().model_validate_strings(obj, **options)

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked again: ``link.but(rate="5 Mbit/s")``."""
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what is changed is checked as by `but`, which pydantic would leave out."""
        copied = super().model_copy(deep=deep)
        return copied.but(**update) if update else copied

    if not TYPE_CHECKING:  # a checker knows that models are frozen

        def __delattr__(self, name: str) -> None:
            raise UserError(f"{name}: {type(self).__name__} is frozen: make a copy, but({name}=...)")

        def __setattr__(self, name: str, value: Any) -> None:
            try:
                super().__setattr__(name, value)
            except ValidationError:
                raise UserError(f"{name}: {type(self).__name__} is frozen: make a copy, but({name}=...)") from None

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """The fields as they would be written, quantities with their units."""
        for name, value in super().__repr_args__():
            yield name, value.dimension.show(value) if isinstance(value, Quantity) else value

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
                said = _other_type(cls.model_fields[key], fields[key])
                if said is not None:
                    raise PydanticCustomError("wrong_key", "{said}", {"key": str(key), "said": said})
        return fields
