"""The two lists of tests: the gate, and the long list, which has the cases that are marked as long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def cases(of: Iterable[T], *, long: Callable[[T], bool]) -> list[Any]:
    """Return values as parameters of a test; those for which `long` returns true belong to the long list."""
    return [pytest.param(each, marks=pytest.mark.long if long(each) else ()) for each in of]
