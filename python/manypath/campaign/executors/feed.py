"""Feeding workers: batches that take their time each, smaller ones towards the end, so that all finish together."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.campaign.supply import Supply
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
        """Runs of the next batch: growth is gradual, up to half of a fair share of the remaining runs."""
        if not self._largest:
            return 1
        aim = min(self._batch_seconds / self._seconds_per_run, 4.0 * self._largest)
        share = max(remaining / (2 * slots), SHORTEST_SECONDS / self._seconds_per_run)
        return max(1, min(round(aim), math.ceil(share), remaining))


def feed(
    submit: Callable[[Sequence[Cell]], Future[Batch]],
    supply: Supply,
    slots: Callable[[], tuple[int, int]],
    batch_seconds: float,
    stopped: threading.Event,
) -> Iterator[Batch]:
    """Yield batches as they are done, here or by another process that shares the store.

    Parameters
    ----------
    submit
        Begins a batch.
    supply
        What is to be computed.
    slots
        Asked again and again: workers there are, and batches that may be under way or wait before them; 0 batches
        if there is no worker.
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
    pace, failures = Pace(batch_seconds), list[str]()
    pending: dict[Future[Batch], Sequence[Cell]] = {}
    while True:
        workers, at_once = slots()
        goes_on = not failures and not stopped.is_set()
        while goes_on and len(pending) < at_once and (cells := supply.take(pace.size(supply.left, workers))):
            pending[submit(cells)] = cells
        if (others := supply.arrived()) is not None:
            yield others
        if not pending and not (goes_on and supply.left):
            break
        if stopped.is_set() and not at_once:
            break  # no worker is left that could finish what is under way
        for future in _finished(pending):
            batch, cells = future.result(), pending.pop(future)
            supply.done(cells, batch)
            pace.learn(len(batch.outcomes) + len(batch.failures), batch.seconds)
            failures += batch.failures
            yield batch
    if failures:
        more = f" (and {len(failures) - 1} more failed)" if len(failures) > 1 else ""
        raise _native.RunError(f"{min(failures)}{more}")
    if stopped.is_set():
        raise Stopped


def _finished(pending: Collection[Future[Batch]]) -> Iterable[Future[Batch]]:
    """Those that are done after a moment, which lets the interpreter see signals."""
    if not pending:
        time.sleep(TICK_SECONDS)
        return ()
    return wait(pending, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED).done


TICK_SECONDS = 0.1
"""How long a look at the batches under way takes if none is done."""

SHORTEST_SECONDS = 0.2
"""No batch is made shorter than this for the sake of an even end: each costs a flush of the disk."""
