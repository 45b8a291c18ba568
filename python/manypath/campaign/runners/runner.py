"""The interface of runners."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from manypath import _native
from manypath.campaign.cell import Cell

JsonOrError = str | _native.RunError
"""The outcome of a run as JSON, or its error."""


class Halt:
    """A signal that ends running simulations soon, without results."""

    def __init__(self) -> None:
        self.native = _native.Stop()
        """The signal for the simulator."""
        self._set = threading.Event()

    def set(self) -> None:
        """End the runs with this signal."""
        self._set.set()
        self.native.set()

    def is_set(self) -> bool:
        """Whether the signal is set."""
        return self._set.is_set()


@runtime_checkable
class Runner(Protocol):
    """Computes cells. Runners are sent to other processes, so they can be pickled."""

    @property
    def version(self) -> str:
        """Version of the runner; results of different versions are never mixed.

        Versions of one runner are equal up to their last colon.
        """
        ...

    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Raise `UserError` if these cells cannot be run, with `at_once` of them in parallel."""
        ...

    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Compute cells on a number of threads; return the outcomes in the order of the cells."""
        ...


@runtime_checkable
class OfFactors(Runner, Protocol):
    """A runner that gets the factors themselves, and so knows which of them it uses."""

    def check_factors(self, documents: Iterable[str]) -> None:
        """Raise `UserError` if a factor of these documents cannot be used, or has no effect."""
        ...


def chance(cell: Cell) -> int:
    """Return a seed for other random generators from the campaign's seed and the replication, from 1 to 2^31 - 1.

    Equal replications have equal seeds in every scenario, for paired comparisons.
    """
    digest = hashlib.sha256(f"{cell.seed}\0{cell.replication}".encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % (2**31 - 1)
