"""What an executor does with a batch of cells, in this process or another one: run them, then keep what came out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manypath.campaign.cell import Cell, written
from manypath.campaign.runners import Halt, Runner
from manypath.campaign.store import Store
from manypath.errors import UserError


@dataclass(frozen=True)
class Batch:
    """A batch that was computed; what is in it is in the store, if there is one."""

    outcomes: list[tuple[Cell, str]]
    """Cells with their outcomes as JSON."""
    failures: list[str]
    """What went wrong with the other cells of the batch: scenario, seed, replication and reason."""
    seconds: float
    """How long it took."""
    shard: str | None = None
    """Name of the shard that keeps it."""


@dataclass(frozen=True)
class Work:
    """Runs batches and keeps their outcomes."""

    runner: Runner
    """What computes a cell."""
    engine: str
    """Version of the runner where the campaign was started; another one's results would be mixed with these."""
    store: Path | None = None
    """Folder of results."""

    def do(self, cells: Sequence[Cell], threads: int, halt: Halt) -> Batch:
        """Compute a batch on so many threads; when this returns, its outcomes are on the disk.

        Raises
        ------
        UserError
            If they cannot be kept, or the runner is another one here than where the campaign was started.
        """
        if self.runner.version != self.engine:
            raise UserError(
                f"executor: a worker has the engine {self.runner.version}, this process has {self.engine}: "
                "install the same manypath everywhere"
            )
        started = time.monotonic()
        results = list(zip(cells, self.runner.run(cells, threads, halt), strict=True))
        outcomes = [(cell, result) for cell, result in results if isinstance(result, str)]
        failures = [_told(cell, str(result)) for cell, result in results if not isinstance(result, str)]
        shard = None
        if self.store is not None and outcomes:
            shard = Store(self.store).save(self.engine, outcomes).name
        return Batch(outcomes, failures, time.monotonic() - started, shard)


def _told(cell: Cell, failure: str) -> str:
    return f"{written(cell.factors)}, {failure}" if cell.factors else failure
