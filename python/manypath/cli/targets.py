"""Options and checks for the store and the place of computation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manypath.outputs import Outputs

if TYPE_CHECKING:
    from manypath.campaign.executors import Executor

PART = typer.Option(metavar="I/N", help="Compute only part I of N, to divide a campaign between machines.")
"""The option for the computed part."""

WORKERS = typer.Option(help="Number of threads; one for each core by default.")
"""The option for the number of threads."""

STORE = typer.Option(help="Folder of results; stored runs are not computed again.")
"""The option for the store."""

SCHEDULER = typer.Option(metavar="ADDRESS", help="Compute on the workers of this Dask scheduler.")
"""The option for a Dask scheduler."""


def check_store(store: Path) -> None:
    """Refuse a path that cannot be a folder of results."""
    from manypath.campaign.manifest import check_manifest

    if store.is_dir():
        # A read-only folder suffices if it has all runs; if not, the campaign refuses it.
        check_manifest(store)
    else:
        Outputs().folder("store", store)


def check_workers(workers: int | None) -> None:
    """Refuse an invalid number of threads."""
    if workers is not None:
        from manypath.campaign.executors import LocalExecutor

        LocalExecutor(workers)


def executor_of(address: str | None, workers: int | None) -> Executor:
    """Return the executor: the workers of a Dask scheduler, or threads of this machine.

    Raises
    ------
    UserError
        If no scheduler answers, or the number of threads is invalid.
    """
    if address is not None:
        from manypath.campaign.executors.dask import connect

        return connect(address)
    from manypath.campaign.executors import LocalExecutor

    return LocalExecutor(workers)
