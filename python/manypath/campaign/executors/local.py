"""Executor on threads of this machine; each thread computes its own batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from typing_extensions import override

from manypath.arguments import whole
from manypath.campaign.cell import Cell
from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.feed import feed
from manypath.campaign.executors.interrupt import interruptible
from manypath.campaign.runners import Halt
from manypath.campaign.supply import Supply
from manypath.campaign.work import Batch, Work


class LocalExecutor(Executor):
    """Computes on threads of this process; the engine releases Python's global lock.

    After Ctrl-C or a failed run, the running batches are finished.
    """

    def __init__(self, workers: int | None = None, batch_seconds: float = 5.0) -> None:
        """Use `workers` threads (one for each core if None), with batches of about `batch_seconds`."""
        self.workers = threads_of(workers)
        self._batch_seconds = batch_seconds

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Yield finished batches; after Ctrl-C finish the running ones and raise `Stopped`."""
        work.runner.prepare(cells, self.workers)
        halt = Halt()
        with (
            interruptible(tell) as stopped,
            Supply(work, cells, tell) as supply,
            ThreadPoolExecutor(self.workers) as threads,
        ):

            def submit(batch: Sequence[Cell]) -> Future[Batch]:
                return threads.submit(work.do, batch, 1, halt)

            try:
                yield from feed(submit, supply, lambda: (self.workers, self.workers), self._batch_seconds, stopped)
            finally:
                # An early exit, such as a second Ctrl-C, does not wait for the current runs.
                halt.set()


def threads_of(workers: int | None) -> int:
    """Return the number of threads for `workers`; one for each core if None.

    Raises
    ------
    UserError
        If the number is invalid.
    """
    if workers is None:
        return cores()
    right = f"1 to {MOST_THREADS}, or nothing for one on each core"
    return whole("workers", workers, "number of threads", least=1, below=MOST_THREADS + 1, right=right)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


MOST_THREADS = 4096
"""Largest number of threads."""
