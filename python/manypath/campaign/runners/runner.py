"""What every runner does, and what it is given."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from manypath import _native
from manypath.campaign.cell import Cell

Outcome = str | _native.RunError
"""What came out of a run, as JSON; or what went wrong."""


class Halt:
    """Set it, and the runs that were given it end soon, without a result."""

    def __init__(self) -> None:
        self.native = _native.Stop()
        """The same for the simulator."""
        self._set = threading.Event()

    def set(self) -> None:
        """End what was given this."""
        self._set.set()
        self.native.set()

    def is_set(self) -> bool:
        """Whether it is time to end."""
        return self._set.is_set()


@runtime_checkable
class Runner(Protocol):
    """Computes cells. It travels to other processes, so it can be pickled."""

    @property
    def version(self) -> str:
        """What the results depend on besides scenario, seed and replication; results of versions are never mixed.

        Versions of one runner are equal up to their last colon.
        """
        ...

    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Raise `UserError` if these cells cannot be run, so many at once."""
        ...

    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[Outcome]:
        """Compute cells on so many threads; the outcomes come in their order."""
        ...


def chance(cell: Cell) -> int:
    """One number for a foreign random generator: from the campaign's seed and the replication, 1 or more, below 2^31.

    Equal replications have equal numbers in every scenario, so that differences can be taken pair by pair.
    """
    digest = hashlib.sha256(f"{cell.seed}\0{cell.replication}".encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % (2**31 - 1)
