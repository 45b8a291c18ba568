"""Evaluating what a store holds, without running anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manypath.campaign import Cell
from manypath.errors import UserError


class NotStored(UserError):
    """What was asked for has not been run, or not by this engine."""


class Stored:
    """An executor that runs nothing: whatever a campaign does not find in its store is an error."""

    def batches(self, cells: Sequence[Cell]) -> Iterator[list[tuple[Cell, str]]]:
        """Raise `NotStored` if there is anything to run."""
        if cells:
            raise NotStored(f"{len(cells):,} of its runs")
        return iter(())
