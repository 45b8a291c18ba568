"""Feeding workers: batches that take their time each, smaller ones towards the end, so that all finish together."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.work import Batch
from manypath.errors import Stopped


class Pace:
    """How many runs make a batch of the wanted length."""

    def __init__(self, batch_seconds: float) -> None:
        """Aim at batches that take so long."""
        self._batch_seconds = batch_seconds
        self._largest = 0
        self._seconds_per_run = math.inf

    def learn(self, runs: int, seconds: float) -> None:
        """So many runs took so long."""
        self._largest = max(self._largest, runs)
        self._seconds_per_run = max(seconds, 1e-4) / runs

    def size(self, remaining: int, slots: int) -> int:
        """Runs of the next batch: growth is gradual, and nobody gets more than half of a fair share of what remains."""
        if not self._largest:
            return 1
        aim = min(self._batch_seconds / self._seconds_per_run, 4.0 * self._largest)
        share = max(remaining / (2 * slots), SHORTEST_SECONDS / self._seconds_per_run)
        return max(1, min(round(aim), math.ceil(share), remaining))


def feed(
    submit: Callable[[Sequence[Cell]], Future[Batch]],
    cells: Sequence[Cell],
    slots: Callable[[], tuple[int, int]],
    batch_seconds: float,
    stopped: threading.Event,
) -> Iterator[Batch]:
    """Yield batches as they are done.

    Parameters
    ----------
    submit
        Begins a batch.
    cells
        What is to be computed, in this order.
    slots
        Asked again and again: workers there are, and batches that may be under way or wait before them.
    batch_seconds
        How long a batch should take.
    stopped
        Once it is set, no batch is begun; those under way are finished and yielded.

    Raises
    ------
    Stopped
        If `stopped` was set.
    RunError
        If a run failed: one of the failures, and how many more there were.
    """
    pace, begin, failures = Pace(batch_seconds), 0, list[str]()
    pending: set[Future[Batch]] = set()
    while True:
        workers, at_once = slots()
        while begin < len(cells) and len(pending) < at_once and not failures and not stopped.is_set():
            size = pace.size(len(cells) - begin, workers)
            pending.add(submit(cells[begin : begin + size]))
            begin += size
        if not pending:
            break
        # The time limit lets the interpreter see signals.
        done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
        for future in done:
            batch = future.result()
            pace.learn(len(batch.outcomes) + len(batch.failures), batch.seconds)
            failures += batch.failures
            yield batch
    if failures:
        others = f" (and {len(failures) - 1} more failed)" if len(failures) > 1 else ""
        raise _native.RunError(f"{min(failures)}{others}")
    if stopped.is_set():
        raise Stopped


SHORTEST_SECONDS = 0.2
"""No batch is made shorter than this for the sake of an even end: each costs a flush of the disk."""
