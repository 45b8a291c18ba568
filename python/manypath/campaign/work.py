"""Work of an executor on a batch of cells, in this or another process: run the cells and store the outcomes."""

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
    """A finished batch; its outcomes are in the store, if there is one."""

    outcomes: list[tuple[Cell, str]]
    """Cells with their outcomes as JSON."""
    failures: list[str]
    """Errors of the other cells of the batch: scenario, seed, replication and reason."""
    seconds: float
    """Duration of the computation."""
    shard: str | None = None
    """Name of its shard in the store."""


@dataclass(frozen=True)
class Work:
    """Computes batches and stores their outcomes."""

    runner: Runner
    """The runner."""
    engine: str
    """Version of the runner in the process of the campaign; workers must have the same version."""
    store: Path | None = None
    """Folder of results."""

    def do(self, cells: Sequence[Cell], threads: int, halt: Halt) -> Batch:
        """Compute a batch on a number of threads; on return its outcomes are on disk.

        Raises
        ------
        UserError
            If the outcomes cannot be stored, or this process has another version of the runner than the campaign.
        """
        if self.runner.version != self.engine:
            raise UserError(
                f"executor: a worker has the engine {self.runner.version}, the campaign has {self.engine}: "
                "install the same manypath on all machines"
            )
        started = time.monotonic()
        results = list(zip(cells, self.runner.run(cells, threads, halt), strict=True))
        outcomes = [(cell, result) for cell, result in results if isinstance(result, str)]
        failures = [_located(cell, str(result)) for cell, result in results if not isinstance(result, str)]
        shard = None
        if self.store is not None and outcomes:
            shard = Store(self.store).save(self.engine, outcomes).name
        return Batch(outcomes, failures, time.monotonic() - started, shard)


def _located(cell: Cell, failure: str) -> str:
    return f"{written(cell.factors)}, {failure}" if cell.factors else failure
