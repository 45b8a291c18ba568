"""The page object of the explorer: what tests read and await on a page, with and without a browser."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from time import monotonic
from typing import Any

from states import expected

from manypath.explore.state import State

PATIENCE = 300.0
"""Longest time that a test waits for the page, seconds. It bounds failures only."""


class PageObject(ABC):
    """A page of the explorer."""

    @abstractmethod
    def text(self, selector: str) -> str:
        """Return the visible text of elements; empty if there is none."""

    @property
    def status(self) -> str:
        """The status of the page."""
        return self.text(".x-status")

    def digest(self) -> str:
        """Wait for the digest of a finished run."""
        return self.until(lambda: (found := re.search(r"digest (\w{16})", self.status)) and found[1])

    def shows(self, state: State) -> None:
        """Wait for the digest of the run of a state."""
        digest = expected(state)
        self.until(lambda: f"digest {digest}" in self.status)

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds; return its value."""
        value = self._within(PATIENCE, condition)
        assert value, self.status
        return value

    def _within(self, limit: float, condition: Callable[[], Any]) -> Any:
        """Wait at most `limit` seconds until a condition holds; return its value, or a false value if it does not."""
        end = monotonic() + limit
        while not (value := condition()) and monotonic() < end:
            self._pause()
        return value

    @abstractmethod
    def _pause(self) -> None:
        """Wait before a condition is checked again."""
