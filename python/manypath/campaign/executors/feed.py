"""Division of runs into batches of about equal duration, with shorter batches at the end to balance the load."""

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
    """The number of runs in a batch of the wanted duration."""

    def __init__(self, batch_seconds: float) -> None:
        """Aim at batches of `batch_seconds`."""
        self._batch_seconds = batch_seconds
        self._largest = 0
        self._seconds_per_run = math.inf

    def learn(self, runs: int, seconds: float) -> None:
        """Record that `runs` runs took `seconds` seconds."""
        self._largest = max(self._largest, runs)
        self._seconds_per_run = max(seconds, 1e-4) / runs

    def size(self, remaining: int, slots: int) -> int:
        """Return the number of runs in the next batch: it grows gradually, up to half of a fair share of the rest."""
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
    """Yield batches when they are finished, by workers or by another process with the same store.

    Parameters
    ----------
    submit
        Starts a batch.
    supply
        The cells to compute.
    slots
        Called repeatedly: returns the number of workers, and the largest number of running or waiting batches (0
        without workers).
    batch_seconds
        Wanted duration of a batch.
    stopped
        When it is set, no further batch is started; the running batches are finished and yielded.

    Raises
    ------
    Stopped
        If `stopped` was set.
    RunError
        If a run failed: one of the failures, and the number of the others.
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
            break  # no worker is left to finish the batches
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
    """Return the batches that finish within a short wait, which lets the interpreter handle signals."""
    if not pending:
        time.sleep(TICK_SECONDS)
        return ()
    return wait(pending, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED).done


TICK_SECONDS = 0.1
"""Longest wait for a batch."""

SHORTEST_SECONDS = 0.2
"""Shortest batch at the end of a campaign; each batch costs a flush to disk."""
