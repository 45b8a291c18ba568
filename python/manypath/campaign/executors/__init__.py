"""Where the runs of a campaign are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from manypath.campaign.cell import Cell
from manypath.campaign.executors.local import LocalExecutor


class Executor(Protocol):
    """Computes cells, in batches."""

    def batches(self, cells: Sequence[Cell]) -> Iterator[list[tuple[Cell, str]]]:
        """Yield batches of cells with their outcomes as JSON; raise `Stopped` when the user wants to stop.

        What has been yielded is kept, also if `RunError` follows: it names the scenario of a run that failed.
        """
        ...


__all__ = ["Executor", "LocalExecutor"]
