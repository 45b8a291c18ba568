"""What commands say and check about where results go and where they are computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manypath.outputs import Outputs

if TYPE_CHECKING:
    from manypath.campaign.executors import Executor

PART = typer.Option(metavar="I/N", help="Compute one of N parts only: on many machines, one part each.")
"""What is computed."""

SCHEDULER = typer.Option(metavar="ADDRESS", help="Compute on the workers of this Dask scheduler.")
"""Where it is computed."""


def check_store(store: Path) -> None:
    """Refuse what cannot be a folder of results."""
    from manypath.campaign.manifest import check_manifest

    if store.is_dir():
        # A folder that cannot be written serves as long as it holds everything; else the campaign refuses it.
        check_manifest(store)
    else:
        Outputs().folder("store", store)


def check_workers(workers: int | None) -> None:
    """Refuse what is no number of threads."""
    from manypath.campaign.executors import LocalExecutor

    LocalExecutor(workers)


def executor_of(address: str | None, workers: int | None) -> Executor:
    """Return where to compute: on the workers of a Dask scheduler, or on so many threads of this machine.

    Raises
    ------
    UserError
        If no scheduler answers there, or it is no number of threads.
    """
    if address is not None:
        from manypath.campaign.executors.dask import connect

        return connect(address)
    from manypath.campaign.executors import LocalExecutor

    return LocalExecutor(workers)
