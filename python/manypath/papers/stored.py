"""Evaluation of stored runs, without new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from typing_extensions import override

from manypath.campaign import Batch, Cell, Work
from manypath.campaign.executors import Executor
from manypath.errors import UserError


class NotStored(UserError):
    """The store lacks runs of this version of the engine."""


class Stored(Executor):
    """An executor that computes nothing: a run that is missing in the store is an error."""

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Raise `NotStored` if there are cells to compute."""
        if cells:
            raise NotStored(f"{len(cells):,} of its runs")
        return iter(())
