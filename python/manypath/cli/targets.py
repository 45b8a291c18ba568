"""What commands check before they compute: where results and reports go, and how many threads there are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.outputs import Outputs

if TYPE_CHECKING:
    from manypath.papers.paper import Paper


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


def check_report(report: Path, pages: Iterable[str] = (), papers: Iterable[Paper] = ()) -> None:
    """Refuse a report that cannot be written, or whose pages or figures would replace files of another program.

    Parameters
    ----------
    report
        Folder of the report, or its first page, ending with ``.html``.
    pages
        Names of pages that will be written.
    papers
        Papers whose pages and figures will be written.
    """
    from manypath.report.targets import check

    check(report, papers, pages, field="--report")
