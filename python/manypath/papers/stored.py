"""Evaluating what a store holds, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from typing_extensions import override

from manypath.campaign import Batch, Cell, Work
from manypath.campaign.executors import Executor
from manypath.errors import UserError


class NotStored(UserError):
    """What was asked for has not been run, or not by this engine."""


class Stored(Executor):
    """An executor that runs nothing: whatever a campaign does not find in its store is an error."""

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Raise `NotStored` if there is anything to run."""
        if cells:
            raise NotStored(f"{len(cells):,} of its runs")
        return iter(())
