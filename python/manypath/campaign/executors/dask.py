"""Executor with workers of Dask.distributed in other processes or machines. All workers share the folder of results.

A worker writes its batch to disk before it reports it as finished. If a worker dies, only its current batch is lost,
and Dask assigns it to another worker.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from manypath import _native
from manypath.arguments import positive
from manypath.campaign.cell import Cell
from manypath.campaign.damage import Damaged
from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.feed import feed
from manypath.campaign.executors.interrupt import interruptible
from manypath.campaign.runners import Halt
from manypath.campaign.shard import read_shard
from manypath.campaign.supply import Supply
from manypath.campaign.work import Batch, Work
from manypath.errors import UserError, quoted

if TYPE_CHECKING:
    from distributed import Client


class DaskExecutor(Executor):
    """Computes on the workers of a Dask cluster; each thread of a worker computes one batch at a time.

    Parameters
    ----------
    client
        ``distributed.Client(...)``; workers may join and leave.
    batch_seconds
        Wanted duration of a batch.
    """

    def __init__(self, client: Client, batch_seconds: float = 10.0) -> None:
        self._client = client
        self._batch_seconds = batch_seconds

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Yield finished batches; after Ctrl-C finish the running ones and raise `Stopped`."""
        if work.store is None:
            raise UserError("store: None is not valid with Dask, whose workers pass results in a folder: give a folder")
        shared = replace(work, store=work.store.resolve())
        pool = self._client.get_executor(pure=False, retries=RETRIES)

        def submit(batch: Sequence[Cell]) -> Future[Batch]:
            return pool.submit(_do, shared, list(batch))

        with interruptible(tell) as stopped, Supply(shared, cells, tell) as supply:
            batches = feed(submit, supply, Workers(self._client, tell).slots, self._batch_seconds, stopped)
            while (batch := _next(batches)) is not None:
                yield _fetched(batch, shared)


class Workers:
    """The current workers of a cluster; tells the user while there are none."""

    def __init__(self, client: Client, tell: Callable[[str], None]) -> None:
        """Observe the cluster of a client."""
        self._client = client
        self._tell = tell
        self._alone_since: float | None = None
        self._told = 0.0

    def slots(self) -> tuple[int, int]:
        """Return the threads of all workers, and twice as many as batches, so that each thread has a next batch.

        Without workers no batch is started, so that Ctrl-C ends at once.
        """
        workers: dict[str, int] = self._client.nthreads()  # pyright: ignore[reportAssignmentType] - not asynchronous
        threads = sum(workers.values())
        if threads:
            self._alone_since = None
            return threads, 2 * threads
        self._say_so(time.monotonic())
        return 1, 0

    def _say_so(self, now: float) -> None:
        if self._alone_since is None:
            self._alone_since, self._told = now, now + LONELY_SECONDS - REMIND_SECONDS
        if now - self._told < REMIND_SECONDS:
            return
        self._told = now
        scheduler: Any = self._client.scheduler
        self._tell(
            f"dask: the scheduler has had no workers for {now - self._alone_since:.0f} s; waiting: start one with "
            f"`dask worker {scheduler.address}`, or stop with Ctrl-C"
        )


def dask(client: Client, batch_seconds: float = 10.0) -> DaskExecutor:
    """Compute a campaign on a Dask cluster: ``campaign.run(store=..., executor=mp.dask(client))``.

    Every worker needs this package in the same version, and the folder of results under the same path.

    Parameters
    ----------
    client
        ``distributed.Client(...)``.
    batch_seconds
        Wanted duration of a batch, seconds; a worker that dies loses at most one batch per thread.
    """
    if not hasattr(client, "get_executor"):
        raise UserError(f"client: {quoted(client)} is no client of Dask: give distributed.Client(...)")
    return DaskExecutor(client, positive("batch_seconds", batch_seconds))


def connect(address: str) -> DaskExecutor:
    """Return the executor for the scheduler at an address.

    Raises
    ------
    UserError
        If Dask is not installed, or no scheduler answers within some seconds.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UserError("dask: distributed is not installed: pip install 'manypath[dask]'") from None
    kind = _kind(address)
    if kind != "Scheduler":
        raise UserError(f"dask: {address} is a {kind.lower()}, no scheduler: give the address of the scheduler")
    return DaskExecutor(Client(address, timeout=PATIENCE_SECONDS, set_as_default=False))


def _kind(address: str) -> str:
    """Return Dask's name for the kind of server at an address."""
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> str:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=ANSWER_SECONDS, connection_args=arguments) as there:
            said: Any = await asyncio.wait_for(there.identity(), ANSWER_SECONDS)
            return said["type"]

    try:
        return asyncio.run(ask())
    except TimeoutError:
        why = f"no answer for {ANSWER_SECONDS:g} s"
    except (OSError, ValueError) as error:
        why = str(error).partition("\n")[0]
    except Exception:  # Dask does not check the answers of other programs
        why = "another program answers"
    raise UserError(f"dask: no scheduler answers at {address} ({why}): give its address, tcp://HOST:8786")


def _do(work: Work, cells: Sequence[Cell]) -> Batch:
    """Compute a batch on a worker; return it without outcomes, which are on disk."""
    batch = work.do(cells, 1, Halt())
    return replace(batch, outcomes=[(cell, "") for cell, _ in batch.outcomes])


def _next(batches: Iterator[Batch]) -> Batch | None:
    """Return the next batch; turn an error of Dask into a one-line error."""
    try:
        return next(batches, None)
    except Exception as error:
        if type(error).__module__.split(".")[0] != "distributed":
            raise
        raise _native.RunError(f"dask: {type(error).__name__}: {str(error).splitlines()[0]}") from None


def _fetched(batch: Batch, work: Work) -> Batch:
    """Return the batch with its outcomes, read from the worker's shard."""
    if batch.shard is None or work.store is None:
        return batch
    keys = [cell.key(work.engine) for cell, _ in batch.outcomes]
    outcomes = _arrived(work.store / batch.shard, frozenset(keys), work.engine)
    return replace(batch, outcomes=[(cell, outcomes[key]) for key, (cell, _) in zip(keys, batch.outcomes, strict=True)])


def _arrived(shard: Path, keys: frozenset[str], engine: str) -> dict[str, str]:
    """Return the outcomes in a worker's shard, after it becomes visible on this machine."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return read_shard(shard, keys, engine).outcomes
        except (FileNotFoundError, Damaged):
            if time.monotonic() > give_up:
                raise UserError(
                    f"store: this machine cannot see {shard} of a worker: give a folder that all machines share"
                ) from None
            time.sleep(0.2)


RETRIES = 3
"""Number of restarts of a batch after the loss of its worker."""

PATIENCE_SECONDS = 10.0
"""Longest wait for a file of another machine, and for the connection to a scheduler."""

ANSWER_SECONDS = 2.0
"""Longest wait for the first answer of a scheduler."""

LONELY_SECONDS = 3.0
"""Time without workers before the first message to the user."""

REMIND_SECONDS = 10.0
"""Interval of these messages."""
