"""What every executor does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from manypath.campaign.cell import Cell
from manypath.campaign.work import Batch, Work
from manypath.errors import UserError, quoted


class Executor(Protocol):
    """Computes cells, in batches."""

    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None], /) -> Iterator[Batch]:
        """Yield batches that `work` has done and kept; raise `Stopped` when the user wants to stop.

        A batch with failures is the last to be begun: those under way are finished and yielded, then `RunError` says
        what failed. `tell` is given what the user should know meanwhile.
        """
        ...


def check_executor(executor: object) -> None:
    """Refuse what cannot compute cells; None stands for this machine.

    Raises
    ------
    UserError
        If it has no `batches`.
    """
    if executor is not None and not hasattr(executor, "batches"):
        raise UserError(f"executor: {quoted(executor)} is none: give manypath.dask(client), or None for this machine")
