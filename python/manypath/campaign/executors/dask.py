"""Dask.distributed as an executor: the workers of other processes or machines, all of which see the folder of results.

A worker puts its batch on the disk before it says that it is done. So a worker that dies loses the batch under way,
which Dask gives to another one, and never what it had reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from manypath import _native
from manypath.arguments import positive
from manypath.campaign.cell import Cell
from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.feed import feed
from manypath.campaign.executors.interrupt import interruptible
from manypath.campaign.runners import Halt
from manypath.campaign.shard import Broken, read_shard
from manypath.campaign.work import Batch, Work
from manypath.errors import UserError, quoted

if TYPE_CHECKING:
    from distributed import Client


class DaskExecutor(Executor):
    """Computes on the workers of a Dask cluster, each of whose threads takes batches of its own.

    Parameters
    ----------
    client
        ``distributed.Client(...)``; workers may come and go.
    batch_seconds
        How long a batch should take.
    """

    def __init__(self, client: Client, batch_seconds: float = 10.0) -> None:
        self._client = client
        self._batch_seconds = batch_seconds

    @override
    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        """Yield batches; `Stopped` after those under way if the user presses Ctrl-C."""
        if work.store is None:
            raise UserError("store: None keeps nothing, and workers of Dask hand results over in a folder: give one")
        shared = replace(work, store=work.store.resolve())
        pool = self._client.get_executor(pure=False, retries=RETRIES)

        def submit(batch: Sequence[Cell]) -> Future[Batch]:
            return pool.submit(_do, shared, list(batch))

        with interruptible(tell) as stopped:
            batches = feed(submit, cells, self._slots, self._batch_seconds, stopped)
            while (batch := _next(batches)) is not None:
                yield _fetched(batch, shared)

    def _slots(self) -> tuple[int, int]:
        """Threads of all workers, and twice as many batches, so that none waits for the next one to arrive."""
        workers: dict[str, int] = self._client.nthreads()  # pyright: ignore[reportAssignmentType] - not asynchronous
        threads = max(sum(workers.values()), 1)
        return threads, 2 * threads


def dask(client: Client, batch_seconds: float = 10.0) -> DaskExecutor:
    """Compute a campaign on a Dask cluster: ``campaign.run(store=..., executor=mp.dask(client))``.

    Every worker needs this package in the same version, and the folder of results under the same path.

    Parameters
    ----------
    client
        ``distributed.Client(...)``.
    batch_seconds
        How long a batch should take, in seconds; a worker that dies costs as much.
    """
    if not hasattr(client, "get_executor"):
        raise UserError(f"client: {quoted(client)} is no client of Dask: give distributed.Client(...)")
    return DaskExecutor(client, positive("batch_seconds", batch_seconds))


def connect(address: str) -> DaskExecutor:
    """The cluster of a scheduler, by its address.

    Raises
    ------
    UserError
        If Dask is not installed, or nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UserError("dask: distributed is not installed: pip install 'manypath[dask]'") from None
    try:
        return DaskExecutor(Client(address, timeout=PATIENCE_SECONDS, set_as_default=False))
    except (OSError, ValueError) as error:
        raise UserError(
            f"dask: no scheduler answers at {address} ({error}): give its address, tcp://HOST:8786"
        ) from None


def _do(work: Work, cells: Sequence[Cell]) -> Batch:
    """What a worker does with a batch; it says which cells are done, not what came out: that is on the disk."""
    batch = work.do(cells, 1, Halt())
    return replace(batch, outcomes=[(cell, "") for cell, _ in batch.outcomes])


def _next(batches: Iterator[Batch]) -> Batch | None:
    """The next batch; what Dask itself gives up is said in one line."""
    try:
        return next(batches, None)
    except Exception as error:
        if type(error).__module__.split(".")[0] != "distributed":
            raise
        raise _native.RunError(f"dask: {type(error).__name__}: {str(error).splitlines()[0]}") from None


def _fetched(batch: Batch, work: Work) -> Batch:
    """The batch with its outcomes, from the shard that the worker wrote."""
    if batch.shard is None or work.store is None:
        return batch
    keys = [cell.key(work.engine) for cell, _ in batch.outcomes]
    outcomes = _arrived(work.store / batch.shard, frozenset(keys), work.engine)
    return replace(batch, outcomes=[(cell, outcomes[key]) for key, (cell, _) in zip(keys, batch.outcomes, strict=True)])


def _arrived(shard: Path, keys: frozenset[str], engine: str) -> dict[str, str]:
    """The outcomes in a shard that somebody else wrote, once the file system shows it here, too."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return read_shard(shard, keys, engine).outcomes
        except (FileNotFoundError, Broken):
            if time.monotonic() > give_up:
                raise UserError(
                    f"store: a worker wrote {shard}, which cannot be seen here: give a folder that all machines share"
                ) from None
            time.sleep(0.2)


RETRIES = 3
"""So often is a batch begun again whose worker was lost."""

PATIENCE_SECONDS = 10.0
"""How long to wait for a scheduler, and for a file written on another machine."""
