"""Checks that files of results have in common, and their types of fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from manypath.errors import quoted

Amount = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
"""A finite number that is not negative."""

Count = Annotated[int, Field(ge=1)]
"""A number that is at least one."""

Whole = Annotated[int, Field(ge=0)]
"""Whole of random numbers."""


def malformed(field: str, text: str, digits: int) -> Iterator[str]:
    """Describe a text that is not a hexadecimal number of so many digits."""
    if not re.fullmatch(f"[0-9a-f]{{{digits}}}", text):
        yield f"{field}: {quoted(text)} is not a number of {digits} hexadecimal digits"


def repeated(field: str, values: Sequence[str]) -> Iterator[str]:
    """Describe the values that occur more than once."""
    return (f"{field}: {quoted(value)} occurs twice" for value, times in Counter(values).items() if times > 1)


def unknown(field: str, values: Iterable[str], known: Collection[str], what: str) -> Iterator[str]:
    """Describe the values that are not known."""
    return (f"{field}: {quoted(value)} is no {what}" for value in values if value not in known)


def superfluous(field: str, verdict: str, needed: int | None, seconds: float | None) -> Iterator[str]:
    """Describe a budget of a claim that is decided, and a time without a number of runs."""
    if verdict != "undecided" and needed is not None:
        yield f"{field}.needed: {needed} runs, but the claim is decided"
    if needed is None and seconds is not None:
        yield f"{field}.needed_seconds: {seconds:g}, but needed has no number of runs"
