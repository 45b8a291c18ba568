"""Evaluating what a store holds, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from manypath.campaign import Batch, Cell, Work
from manypath.errors import UserError


class NotStored(UserError):
    """What was asked for has not been run, or not by this engine."""


class Stored:
    """An executor that runs nothing: whatever a campaign does not find in its store is an error."""

    def batches(
        self,
        work: Work,  # noqa: ARG002 - what an executor is given
        cells: Sequence[Cell],
        tell: Callable[[str], None],  # noqa: ARG002 - what an executor is given
    ) -> Iterator[Batch]:
        """Raise `NotStored` if there is anything to run."""
        if cells:
            raise NotStored(f"{len(cells):,} of its runs")
        return iter(())
