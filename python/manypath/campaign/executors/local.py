"""All cores of this machine: every worker computes batches of its own, so that none waits for another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from typing_extensions import override

from manypath.campaign.cell import Cell
from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.feed import feed
from manypath.campaign.executors.interrupt import interruptible
from manypath.campaign.runners import Halt
from manypath.campaign.supply import Supply
from manypath.campaign.work import Batch, Work
from manypath.errors import UserError


class LocalExecutor(Executor):
    """Computes on threads of this process; the engine releases Python's lock.

    Ctrl-C lets the batches under way finish, and so does a run that fails.
    """

    def __init__(self, workers: int | None = None, batch_seconds: float = 5.0) -> None:
        """Use so many threads (all cores if None), each with batches of so many seconds."""
        if workers is not None and workers < 1:
            raise UserError(f"workers: {workers} is no number of threads: give 1 or more, or nothing for all cores")
        self.workers = workers or cores()
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
                # Whoever leaves early, such as by a second Ctrl-C, does not wait for the runs under way.
                halt.set()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
