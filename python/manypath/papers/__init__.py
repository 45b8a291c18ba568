"""The papers as checks: what each says, what is measured here, and whether it holds."""

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
"""One line for each paper: the name of its folder, whose `paper.py` defines `PAPER`."""

STUDIES = ("which_mechanism", "failover")
"""One line for each study of our own: its folder in `manypath.studies`, whose `study.py` defines `STUDY`."""

FIGURES = {
    "dreibholz2010_asymmetric": ("4", "5", "6", "7", "8"),
    "dreibholz2011_impact": ("2", "3", "4", "5"),
    "dreibholz2012_testbed": ("3", "4"),
    "gonzalez2012_mptcp": ("2", "3", "4", "5", "6"),
    "honda2009_bmc": ("1.2", "2.1", "3.2", "3.3", "4.1", *(f"5.{number}" for number in range(2, 19))),
    "which_mechanism": ("1",),
    "failover": ("1", "2"),
}
"""Numbers of the figures of each, for a shell that completes them without loading what draws; a test compares them."""


def registry() -> dict[str, Paper]:
    """Return the papers, and our own studies after them, by name."""
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
        Papers or studies by name; if None or empty all papers, and with full precision all studies too.
    figure
        Only what this figure shows.
    runs
        Replications of each case, instead of those of the precision; undecided claims then get no more.
    full
        The papers' own grids and repetitions instead of the quick ones.
    causes
        Whether to search for causes: more runs for undecided claims, and runs with one thing changed for claims that do
        not hold and for the sensitivity; by default with full precision or `runs`, and without published results.
    profiles
        Whether to check the claims under every accounting profile; by default with full precision.
    mutations
        Whether to run the mutation matrix; by default with full precision of a whole paper.
    store
        Folder of results; what is there is not run again. None keeps nothing.
    progress
        Whether to show how far it is, or what shows it.
    workers
        Threads; all cores if None.
    compute
        Whether what the store lacks is run; else it must all be there.
    executor
        Where to compute, such as ``mp.dask(client)``; this machine if None.
    report
        Folder of a report that shows each figure as soon as its runs are there; None writes nothing meanwhile.

    Raises
    ------
    UserError
        If there is no such paper or figure, or the report would replace a file that this package did not write.
    NotStored
        If the store lacks something and nothing may be run.
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
    """Return papers and studies by name; without names all papers, and with full precision all studies too.

    Raises
    ------
    UserError
        If there is no such paper.
    """
    papers = registry()
    default = (*NAMES, *STUDIES) if full else NAMES
    wanted = texts("names", default if names is None else names, "names of papers") or default
    for name in wanted:
        if name not in papers:
            raise UserError(f'paper: "{name}" is no paper: {remedy(name, papers)}')
    return [papers[name] for name in wanted]
