"""What commands check before they compute: where results go, and how many threads there are."""

from __future__ import annotations

from pathlib import Path

from manypath.outputs import Outputs


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
