"""One control of the page: its value as a text, its explanation, and its place in the documentation."""

from __future__ import annotations

import re
import typing
from dataclasses import dataclass
from typing import Any, Literal

from manypath.errors import UserError, quoted
from manypath.quantity import Quantity
from manypath.scenario.model import Model
from manypath.scenario.ranges import Range


@dataclass(frozen=True)
class Control:
    """One setting of a scenario.

    Attributes
    ----------
    place : str
        The setting: its parts joined by `SEPARATOR`.
    group : str
        Heading of the controls that belong together.
    label : str
        Its name on the page.
    kind : str
        ``amount`` (a text with a unit, or a number), ``choice`` or ``switch``.
    value : str or bool
        Its value.
    explanation : str
        What the setting does, from the model.
    reference : str
        Its name in the Python package.
    definition : str
        The same name qualified by the module that defines it, as in `manypath.documentation.place`.
    page : str
        Page below ``docs/`` that explains more than the reference does; empty if there is none.
    choices : tuple of str
        Values of a choice.
    steps : tuple of str
        Values of the slider; empty without a slider.
    advanced : bool
        Whether the page shows it only on request.
    """

    place: str
    group: str
    label: str
    kind: Literal["amount", "choice", "switch"]
    value: str | bool
    explanation: str
    reference: str
    definition: str
    page: str = ""
    choices: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    advanced: bool = False

    def value_of(self, text: str) -> str | bool:
        """Return the value that a text means; that of a switch is ``on`` or ``off``.

        Raises
        ------
        UserError
            If a switch has another one.
        """
        if self.kind != "switch":
            return text
        return known(self.label, text, SWITCH) == SWITCH[0]


def joined(*parts: str) -> str:
    """Return the place of a setting."""
    return SEPARATOR.join(parts)


def shown(value: Any) -> str:
    """Return a value as a text that can be read again."""
    if isinstance(value, Quantity):
        return value.dimension.show(value) if value else f"0 {value.dimension.example.split()[1]}"
    if isinstance(value, Range):
        low, high = (getattr(value, end) for end in type(value).model_fields)
        return shown(low) if low == high else f"{shown(low)}{TO}{shown(high)}"
    return "" if value is None else str(value)


def explanation(model: type[Model], field: str) -> str:
    """Return the description of a field in one line, without marks of code."""
    said = model.model_fields[field].description or ""
    return " ".join(said.replace("``", "").replace("`", "").split())


def summary(model: type[Model]) -> str:
    """Return the first paragraph of the documentation of a model in one line, without marks of code."""
    return " ".join((model.__doc__ or "").split("\n\n")[0].split()).replace("`", "")


def definition(model: type[Model], field: str = "") -> str:
    """Return the name of a model, or of the field where a model or one above it defines it, qualified by the module."""
    if not field:
        return f"{model.__module__}.{model.__qualname__}"
    owner = next(each for each in model.__mro__ if field in vars(each).get("__annotations__", {}))
    return f"{owner.__module__}.{owner.__qualname__}.{field}"


def has_field(model: Model, field: str) -> bool:
    """Whether a model has a field, such as ``rate``, or a part with it, such as ``queue.packets``."""
    outer, _, inner = field.partition(".")
    if outer not in type(model).model_fields:
        return False
    part = getattr(model, outer)
    return not inner or (isinstance(part, Model) and inner in type(part).model_fields)


def read(model: type[Model], field: str, value: Any) -> Any:
    """Return a text of the page as the type of the field; quantities and probabilities read texts themselves."""
    annotation = model.model_fields[field].annotation
    if not isinstance(value, str):
        return value
    if isinstance(annotation, type) and issubclass(annotation, Range):
        low, to, high = value.partition(TO)
        return (low.strip(), high.strip()) if to else value
    text = value.strip()
    if not text and type(None) in typing.get_args(annotation):
        return None
    reads_texts = any(hasattr(part, "func") for part in model.model_fields[field].metadata)
    if annotation not in (int, int | None, float, float | None) or reads_texts:
        return value
    try:
        # Python also reads digits of other scripts, and underscores between digits.
        if not text.isascii() or "_" in text:
            raise ValueError(text)
        return float(text) if annotation in (float, float | None) else int(text)
    except ValueError:
        kind = "number" if annotation in (float, float | None) else "whole number"
        raise UserError(f"{field}: {told(text)} is no {kind}: write one") from None


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a text as a whole number within bounds.

    Raises
    ------
    UserError
        If it is none.
    """
    text = str(value).strip()
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise UserError(f"{name}: {told(text)} is no whole number from {least} to {most}: write one")
    return int(text)


def told(text: str) -> str:
    """Return a refused text for a message, without quotation marks."""
    return quoted(text, marks="") or "an empty text"


def known(name: str, value: Any, names: tuple[str, ...]) -> str:
    """Return a name that is one of `names`.

    Raises
    ------
    UserError
        If it is none of them.
    """
    if value not in names:
        raise UserError(f"{name}: {quoted(value, marks='')} is unknown: choose one of {', '.join(names)}")
    return str(value)


class Short:
    """Shortens error messages to one line without the place of the setting, which stands beside its control."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Replace the error."""
        if isinstance(error, UserError):
            raise UserError(str(error).splitlines()[0].removeprefix(self._place)) from None


SWITCH = ("on", "off")
"""The values of a switch as texts."""

SEPARATOR = "\t"
"""Separates the parts of a place. The first and the last part contain none; names of links and flows may."""

TO = " to "
"""Separates the ends of a range."""

DELAYS = tuple(f"{n} ms" for n in (1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300))
"""Steps of delays."""

RATES = tuple(
    f"{n} {unit}"
    for unit, numbers in (("kbit/s", (250, 500)), ("Mbit/s", (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)))
    for n in numbers
)
"""Steps of rates."""

BYTES = tuple(f"{n} kB" for n in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000))
"""Steps of buffers."""

SPANS = tuple(f"{n} s" for n in (0, 1, 2, 5, 10, 20, 35, 60, 100, 200, 300))
"""Steps of the times of a run."""
