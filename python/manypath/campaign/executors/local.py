"""All cores of this machine: every worker computes batches of its own, so that none waits for another."""

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
    """Computes on threads of this process; the engine releases Python's lock.

    Ctrl-C lets the batches under way finish, and so does a run that fails.
    """

    def __init__(self, workers: int | None = None, batch_seconds: float = 5.0) -> None:
        """Use so many threads (all cores if None), each with batches of so many seconds."""
        self.workers = threads_of(workers)
        self._batch_seconds = batch_seconds

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Yield batches; `Stopped` after those under way if the user presses Ctrl-C."""
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
    """How many threads that many workers are: all cores if None.

    Raises
    ------
    UserError
        If it is no such number.
    """
    if workers is None:
        return cores()
    right = f"1 to {MOST_THREADS}, or nothing for all cores"
    return whole("workers", workers, "number of threads", least=1, below=MOST_THREADS + 1, right=right)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


MOST_THREADS = 4096
"""More threads than any machine has cores for."""
