"""All cores of this machine: batches of runs inside the engine, one run on one thread."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from types import FrameType

from manypath import _native
from manypath.campaign.cell import Cell, written
from manypath.errors import Stopped, UserError

CellResult = tuple[Cell, "str | _native.RunError"]
"""A cell with its outcome as JSON, or with what went wrong."""


class LocalExecutor:
    """Computes batches that keep every core busy for some seconds; Ctrl-C lets the running batch finish.

    A run that fails ends the campaign after its batch.
    """

    def __init__(
        self,
        workers: int | None = None,
        batch_seconds: float = 5.0,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        """Use so many threads (all cores if None); `on_stop` is called when the user asks to stop."""
        if workers is not None and workers < 1:
            raise UserError(f"workers: {workers} is no number of threads: give 1 or more, or nothing for all cores")
        self.workers = workers or cores()
        self._batch_seconds = batch_seconds
        self._on_stop = on_stop

    def batches(self, cells: Sequence[Cell]) -> Iterator[list[tuple[Cell, str]]]:
        """Yield batches of cells with their outcomes; `Stopped` after the running one if the user presses Ctrl-C."""
        size, begin, stop = self.workers, 0, _native.Stop()
        with self._interruptible() as stopped, ThreadPoolExecutor(max_workers=1) as engine:
            try:
                while begin < len(cells) and not stopped.is_set():
                    batch = cells[begin : begin + size]
                    started = time.monotonic()
                    results = _wait(engine.submit(self._compute, batch, stop))
                    seconds = max(time.monotonic() - started, 1e-3)
                    yield [(cell, result) for cell, result in results if isinstance(result, str)]
                    _raise_failures(results)
                    begin += len(batch)
                    size = self._next_size(len(batch), seconds)
            finally:
                # Whoever leaves early, such as by a second Ctrl-C, does not wait for the runs under way.
                stop.set()
            if stopped.is_set():
                raise Stopped

    def _compute(self, batch: Sequence[Cell], stop: _native.Stop) -> list[CellResult]:
        documents = list(dict.fromkeys(cell.document for cell in batch))
        index = {document: number for number, document in enumerate(documents)}
        jobs = [(index[cell.document], cell.seed, cell.replication) for cell in batch]
        try:
            results = _native.run_batch(documents, jobs, self.workers, stop)
        except _native.ScenarioError as error:
            raise UserError(f"{error} (with {self.workers} runs at once)") from None
        return list(zip(batch, results, strict=True))

    def _next_size(self, size: int, seconds: float) -> int:
        """As many runs as fill the time of a batch, in whole rounds of all threads; growth is gradual."""
        aim = min(size * self._batch_seconds / seconds, 4.0 * size)
        return max(round(aim / self.workers), 1) * self.workers

    @contextmanager
    def _interruptible(self) -> Iterator[threading.Event]:
        """An event that the first Ctrl-C sets; the second one interrupts as usual."""
        stopped = threading.Event()
        if threading.current_thread() is not threading.main_thread():
            yield stopped
            return
        before = signal.getsignal(signal.SIGINT)

        def stop(_number: int, _frame: FrameType | None) -> None:
            stopped.set()
            signal.signal(signal.SIGINT, before)
            self._on_stop()

        signal.signal(signal.SIGINT, stop)
        try:
            yield stopped
        finally:
            signal.signal(signal.SIGINT, before)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _raise_failures(results: Sequence[CellResult]) -> None:
    """Raise the first failure of a batch, if it has any, and say which scenario it is."""
    failures = [(cell, result) for cell, result in results if not isinstance(result, str)]
    if failures:
        cell, error = failures[0]
        where = f"{written(cell.factors)}, " if cell.factors else ""
        others = f" (and {len(failures) - 1} more failed)" if len(failures) > 1 else ""
        raise _native.RunError(f"{where}{error}{others}")


def _wait(future: Future[list[CellResult]]) -> list[CellResult]:
    """The result, letting the interpreter see signals while the engine computes."""
    while True:
        try:
            return future.result(timeout=0.1)
        except NotYet:
            if future.done():
                raise
