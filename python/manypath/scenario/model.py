"""Base class of all parts of a scenario: immutable, with strict keys and one-line error messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, reduce
from inspect import Parameter, Signature
from operator import or_
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin

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

from manypath.arguments import disorder, is_truth, of_kind, text, truth
from manypath.errors import UserError, quoted
from manypath.quantity import LIMIT, RATE, SIZE, SPAN, Dimension, Quantity
from manypath.scenario.mistakes import OF_KEYS, user_error
from manypath.scenario.synonyms import hints_for

if TYPE_CHECKING:
    # For type checkers: a text with a unit, or a quantity.
    Rate = Any
    Span = Any
    Size = Any
else:

    def _read_by(dimension: Dimension) -> WrapValidator:
        # The scenarios of a campaign have the same few texts, also those of defaults.
        of_text = lru_cache(maxsize=4096)(dimension.parse)

        def read(value: Any, bounds: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Quantity:
            in_base_units = info.context == BASE_UNITS and type(value) is int and 0 <= value < LIMIT
            parse = of_text if type(value) is str else dimension.parse
            quantity = dimension.of(value) if in_base_units else parse(value)
            bounds(quantity)
            return quantity

        return WrapValidator(read, json_schema_input_type=Annotated[Any, WithJsonSchema(_written(dimension))])

    def _written(dimension: Dimension) -> dict[str, Any]:
        """Return the schema of a quantity in a file: a text with a unit, or zero."""
        units = "|".join(re.escape(unit) for unit in dimension.units)
        pattern = rf"^\s*(?:[0-9.]+(?:[eE][-+]?[0-9]+)?\s*(?:{units})|0)\s*$"
        return {"anyOf": [{"type": "string", "pattern": pattern}, {"const": 0}], "examples": [dimension.example]}

    Rate = Annotated[int, _read_by(RATE)]
    Span = Annotated[int, _read_by(SPAN)]
    Size = Annotated[int, _read_by(SIZE)]


def _other_type(field: FieldInfo, value: Any) -> str | None:
    """Return the error message for a value of another type that pydantic would convert; else None.

    A text is not converted to a number, and a number is not converted to a boolean. Fields with their own reader are
    not checked. Numbers of numpy are valid.
    """
    if field.annotation is bool:
        # pydantic would also accept 1 and 0.
        return None if is_truth(value) else f"{quoted(value)} is neither true nor false: write true or false"
    if type(value) in {int, float} or any(isinstance(part, BeforeValidator | WrapValidator) for part in field.metadata):
        return None
    if is_truth(value):
        right = "write a number" if field.annotation in {float, float | None} else "write a whole number"
        return f"{quoted(value)} is no number: {right}"
    if isinstance(value, str | bytes):
        return f"{quoted(value)} is a text: write a number, without quotation marks"
    return None


def _no_text(value: Any) -> str | None:
    """Return the error message for bytes or a list with bytes, which pydantic would read as texts; else None."""
    if type(value) is str:
        return None
    entries = value if isinstance(value, list | tuple) else (value,)
    wrong = next((entry for entry in entries if isinstance(entry, bytes | bytearray)), None)
    return None if wrong is None else f"{quoted(wrong)} is no text: write a text, in quotation marks"


def _has_texts(annotation: Any) -> bool:
    """Whether a field may be a text, or contain one."""
    return annotation is str or any(_has_texts(each) for each in get_args(annotation))


def _is_list(annotation: Any) -> bool:
    """Whether a field is a list, or a list or None."""
    return any(get_origin(each) is tuple for each in (annotation, *get_args(annotation)))


def _transports_by_key(model: type[Model]) -> dict[str, list[str]]:
    """Return the transports whose flows have a key that flows of this model lack; nothing for other models."""
    keys: dict[str, list[str]] = {}
    if "transport" in model.model_fields:
        for other in _descendants(Model):
            if "transport" in other.model_fields:
                for key in other.model_fields.keys() - model.model_fields.keys():
                    keys.setdefault(key, []).append(other.model_fields["transport"].default)
    return keys


def _signature(fields: Mapping[str, FieldInfo]) -> Signature:
    """Return the arguments of a model as `help` shows them: types without their checks."""
    return Signature(
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.is_required() else field.get_default(call_default_factory=True),
                annotation=_unchecked(field.annotation),
            )
            for name, field in fields.items()
        ]
    )


class _Shown:
    """The signature of a model, made when `help` asks for it: all of them would take 8 ms of each start."""

    def __get__(self, _: object, model: type[Model]) -> Signature:
        return _signature(model.model_fields)


def _unchecked(kind: Any) -> Any:
    """Return a type without the checks that pydantic makes, also in its parts."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _unchecked(parts[0])
    if origin is Literal or not parts:
        return kind
    unchecked = tuple(map(_unchecked, parts))
    return reduce(or_, unchecked) if origin in {Union, UnionType} else origin[unchecked]


def _descendants(model: type[Model]) -> Iterator[type[Model]]:
    for each in model.__subclasses__():
        yield each
        yield from _descendants(each)


def wrong_keys(wrong: Mapping[str, str], other: ValidationError | None = None) -> PydanticCustomError:
    """Return the error for the keys of a table with their messages, and for mistakes in the other keys."""
    return PydanticCustomError(OF_KEYS, "wrong keys", {"wrong": dict(wrong), "other": other})


CONVERTED = (bool, int, float, int | None, float | None)
"""Types of boolean and numeric fields, to which pydantic converts other types."""

BASE_UNITS = "base units"
"""Pydantic context for documents, in which bare numbers are bit/s, nanoseconds and bytes."""


@contextmanager
def _refusing(fields: Any) -> Iterator[None]:
    """Turn pydantic's error about `fields` into a `UserError`."""
    try:
        yield
    except ValidationError as error:
        raise user_error(error, fields) from None
    except UnicodeEncodeError as error:
        # pydantic passes texts as UTF-8, which has no halves of a surrogate pair. JSON may have them.
        half = ascii(error.object[error.start])
        raise UserError(f"{half}: half of a surrogate pair in a text: write valid characters") from None


class _Checked(type(BaseModel)):
    """Turns a failed construction into a `UserError`; nested parts keep pydantic's error, which has their place."""

    if not TYPE_CHECKING:  # type checkers read the fields

        def __call__(cls, *args: Any, **fields: Any) -> Any:
            if args:
                field = next(iter(cls.model_fields))
                raise UserError(
                    f"{cls.__name__}: {quoted(args[0])} is a positional argument: write {cls.__name__}({field}=...)"
                )
            with _refusing(fields):
                return super().__call__(**fields)


class Model(BaseModel, metaclass=_Checked):
    """An immutable value whose fields are checked when it is made.

    Rates, times and sizes are written as texts with units and read as integers: bit/s, nanoseconds and bytes.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True, validate_default=True
    )

    _converted: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields whose type is one of `CONVERTED`."""

    _lists: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields that are lists."""

    _texts: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields that may be or contain texts."""

    _short_forms: ClassVar[tuple[str, ...]] = ()
    """Keys that a validator of the class reads beside its fields."""

    if TYPE_CHECKING:  # pydantic adds it to frozen models

        def __hash__(self) -> int: ...

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Note the fields to check, because every value of a scenario is checked."""
        super().__pydantic_init_subclass__(**options)
        fields = cls.model_fields.items()
        cls._converted = frozenset(name for name, field in fields if field.annotation in CONVERTED)
        cls._lists = frozenset(name for name, field in fields if _is_list(field.annotation))
        cls._texts = frozenset(name for name, field in fields if _has_texts(field.annotation))
        # pydantic sets its own for each class.
        type.__setattr__(cls, "__signature__", _Shown())

    @classmethod
    def from_document(cls, fields: Mapping[str, Any]) -> Self:
        """Read a part of a document, in which bare numbers are quantities in base units.

        Raises
        ------
        UserError
            If the fields are invalid.
        """
        return cls.model_validate(fields, context=BASE_UNITS)

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Read plain data, with pydantic's options.

        Raises
        ------
        UserError
        If the data is invalid.
        """
        with _refusing(obj):
            return super().model_validate(obj, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Read JSON, with pydantic's options.

        Raises
        ------
        UserError
            If the text is no JSON, or the data is invalid.
        """
        try:
            fields = from_json(json_data)
        except (ValueError, TypeError) as error:
            raise UserError(f"{cls.__name__}: {quoted(json_data)} is no JSON: {error}") from None
        return cls.model_validate(fields, **options)

    @classmethod
    def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
        """Read data in which every value is a text; texts are not converted to numbers.

        Raises
        ------
        UserError
        If the data is invalid.
        """
        with _refusing(obj):
            return super().model_validate_strings(obj, **options)

    def but(self, **changes: Any) -> Self:
        """Return a validated copy with some fields changed: ``link.but(rate="5 Mbit/s")``.

        Examples
        --------
        >>> import manypath as mp
        >>> flow = mp.Sctp(paths=["south", "north"], cc="lia")
        >>> olia = flow.but(cc="olia")
        >>> flow.cc, olia.cc, olia.paths
        ('lia', 'olia', ('south', 'north'))
        """
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; unlike pydantic's method, changes are validated as in `but`."""
        copied = super().model_copy(deep=truth("deep", deep))
        if update is None:
            return copied
        for key in of_kind("update", update, Mapping, "new values of fields by name"):
            text("update", key, "names of fields")
        return copied.but(**update) if update else copied

    if not TYPE_CHECKING:  # type checkers know that models are frozen

        def __delattr__(self, name: str) -> None:
            raise UserError(f"{name}: {type(self).__name__} is immutable: make a copy with but({name}=...)")

        def __setattr__(self, name: str, value: Any) -> None:
            try:
                super().__setattr__(name, value)
            except ValidationError:
                raise UserError(
                    f"{name}: {type(self).__name__} is immutable: make a copy with but({name}=...)"
                ) from None

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Iterate over the fields as in source code, quantities with their units."""
        for name, value in super().__repr_args__():
            yield name, value.dimension.show(value) if isinstance(value, Quantity) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema, which requires `kind` in files although the field has a default."""
        schema = handler(core)
        table = handler.resolve_ref_schema(schema)
        if "kind" in table.get("properties", {}):
            table["required"] = ["kind", *table.get("required", [])]
        return schema

    @model_validator(mode="before")
    @classmethod
    def _know_the_keys(cls, fields: Any, info: ValidationInfo) -> Any:
        if isinstance(fields, Mapping) and (wrong := dict(cls._wrong_keys(fields))):
            # The other keys are checked as well, so that all mistakes are reported at once.
            rest = {key: value for key, value in fields.items() if str(key) not in wrong}
            other = None
            try:
                cls.__pydantic_validator__.validate_python(rest, context=info.context)
            except ValidationError as error:
                other = error
            raise wrong_keys(wrong, other)
        return fields

    @classmethod
    def _wrong_keys(cls, fields: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
        """Yield each unknown key, and each key with a value that pydantic would convert, with its message."""
        known, converted, lists, texts = cls.__pydantic_fields__, cls._converted, cls._lists, cls._texts
        unknown = [str(key) for key in fields if key not in known]
        if unknown:
            for key, hint in hints_for(unknown, [*known, *cls._short_forms], _transports_by_key(cls)):
                yield key, f"unknown key: {hint}"
        for key, value in fields.items():
            said = _other_type(known[key], value) if key in converted else None
            if key in texts:
                said = _no_text(value)
            if key in lists and isinstance(value, Model):
                # Pydantic would read a model as a list of its fields.
                said = f"a single {type(value).__name__} is no list: write [{type(value).__name__}(...)]"
            if key in lists:
                said = said or disorder(value)
            if said is not None:
                yield str(key), said
