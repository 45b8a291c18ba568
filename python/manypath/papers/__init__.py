"""The papers as checks: the claims of each paper, the values measured here, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.arguments import texts, whole
from manypath.errors import UserError, remedy

if TYPE_CHECKING:
    from manypath.campaign.executors import Executor
    from manypath.campaign.progress import Progress
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.evidence import Number
    from manypath.papers.paper import Paper

__all__ = ["FIGURES", "NAMES", "STUDIES", "evaluate", "registry"]

NAMES = (
    "dreibholz2010_asymmetric",
    "dreibholz2011_impact",
    "dreibholz2012_testbed",
    "gonzalez2012_mptcp",
    "honda2009_bmc",
)
"""Folders of the papers in `manypath.papers`; the `paper.py` of each defines `PAPER`."""

STUDIES = ("which_mechanism", "failover")
"""Folders of our own studies in `manypath.studies`; the `study.py` of each defines `STUDY`."""

FIGURES = {
    "dreibholz2010_asymmetric": ("4", "5", "6", "7", "8"),
    "dreibholz2011_impact": ("2", "3", "4", "5"),
    "dreibholz2012_testbed": ("3", "4"),
    "gonzalez2012_mptcp": ("2", "3", "4", "5", "6"),
    "honda2009_bmc": ("1.2", "2.1", "3.2", "3.3", "4.1", *(f"5.{number}" for number in range(2, 19))),
    "which_mechanism": ("1",),
    "failover": ("1", "2"),
}
"""Figure numbers of each paper, for shell completion without loading matplotlib.

A test compares them with the papers.
"""


def registry() -> dict[str, Paper]:
    """Return the papers by name, followed by our own studies."""
    papers = {name: import_module(f"manypath.papers.{name}.paper").PAPER for name in NAMES}
    studies = {name: import_module(f"manypath.studies.{name}.study").STUDY for name in STUDIES}
    return {**papers, **studies}


def evaluate(
    names: str | Iterable[str] | None = None,
    figure: Number | None = None,
    runs: int | None = None,
    full: bool = False,
    *,
    causes: bool | None = None,
    profiles: bool | None = None,
    mutations: bool | None = None,
    store: str | Path | None = "runs",
    progress: bool | Progress = True,
    workers: int | None = None,
    compute: bool = True,
    executor: Executor | None = None,
    report: Path | None = None,
) -> Evaluation:
    """Run papers and check their claims.

    Parameters
    ----------
    names
        Names of papers or studies. If None or empty, all papers are run; with `full` all studies, too.
    figure
        Number of a figure; only its experiments and claims are evaluated.
    runs
        Replications of each case, instead of those of the precision. Undecided claims then get no further runs.
    full
        Whether to run the papers' own grids and repetitions instead of the quick ones.
    causes
        Whether to search for causes: further runs for undecided claims, and runs with one change for claims that do not
        hold and for the sensitivity table. By default with full precision, with `runs`, and for papers without
        published results.
    profiles
        Whether to check the claims under every accounting profile; by default with full precision.
    mutations
        Whether to run the mutation matrix; by default with full precision of a whole paper.
    store
        Folder of results. Stored runs are not computed again. None stores nothing.
    progress
        Whether to show progress, or the display that shows it.
    workers
        Number of threads; all cores if None.
    compute
        Whether to compute runs that the store lacks.
    executor
        Executor that computes the runs, such as ``mp.dask(client)``; threads of this machine if None.
    report
        Folder of a report that is updated when all runs of a figure are finished; None writes no report.

    Raises
    ------
    UserError
        If a paper or figure does not exist, or the report would replace a file that this package did not write.
    NotStored
        If the store lacks a run and `compute` is false.
    """
    from manypath.campaign.executors.executor import check_executor
    from manypath.campaign.executors.local import threads_of
    from manypath.papers.evaluation import evaluate as run

    if runs is not None:
        whole("runs", runs, "number of replications", least=1)
    threads_of(workers)
    check_executor(executor)
    return run(
        chosen(names, full=full),
        figure=figure,
        runs=runs,
        full=full,
        causes=causes,
        profiles=profiles,
        mutations=mutations,
        store=store,
        progress=progress,
        workers=workers,
        compute=compute,
        executor=executor,
        report=report,
    )


def chosen(names: Iterable[str] | None, *, full: bool = False) -> list[Paper]:
    """Return the named papers and studies. Without names it returns all papers; with `full` all studies, too.

    Raises
    ------
    UserError
        If a paper does not exist.
    """
    papers = registry()
    default = (*NAMES, *STUDIES) if full else NAMES
    wanted = texts("names", default if names is None else names, "names of papers") or default
    for name in wanted:
        if name not in papers:
            raise UserError(f'paper: "{name}" is no paper: {remedy(name, papers)}')
    return [papers[name] for name in wanted]
