"""The interface of executors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from manypath.campaign.cell import Cell
from manypath.campaign.work import Batch, Work
from manypath.errors import UserError, quoted


class Executor(Protocol):
    """Computes cells, in batches."""

    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None], /) -> Iterator[Batch]:
        """Yield finished and stored batches; raise `Stopped` after Ctrl-C.

        After a failed run no batch is started. The running batches are finished and yielded, then `RunError` reports
        the failure. `tell` is called with messages for the user.
        """
        ...


def check_executor(executor: object) -> None:
    """Refuse an object that is no executor; None means this machine.

    Raises
    ------
    UserError
        If it has no method `batches`.
    """
    if executor is not None and not hasattr(executor, "batches"):
        raise UserError(
            f"executor: {quoted(executor)} is no executor: give manypath.dask(client), or None for this machine"
        )
