"""Runs papers, checks their claims, and collects the data of the report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from manypath import _native
from manypath.arguments import file
from manypath.campaign.executors import Executor
from manypath.campaign.progress import Progress
from manypath.errors import UserError, quoted, remedy
from manypath.papers.causes import Verified, find_causes, untried
from manypath.papers.evidence import Case, Evidence, Number, Runs
from manypath.papers.experiment import Precision
from manypath.papers.mutations import Matrix, mutate
from manypath.papers.paper import Figure, Paper
from manypath.papers.plain import plain_claim
from manypath.papers.profiles import Profiles, compare_profiles
from manypath.papers.published import is_of, load
from manypath.papers.runner import SEED, Runner
from manypath.papers.sensitivity import Row, measure_sensitivity
from manypath.papers.sequential import decide
from manypath.papers.stages import cost_of_first, stages
from manypath.stats.looks import plan


@dataclass(frozen=True)
class PaperEvaluation:
    """The evaluation of one paper.

    Attributes
    ----------
    paper, precision
        The paper, and the precision of its runs.
    figure : str or None
        Number of the figure if only one was evaluated; None for all.
    evidence : Evidence
        The runs, with the same number of replications for each case.
    claims : list
        The claims with their outcomes and causes.
    sensitivity : list
        Rows of the sensitivity table.
    profiles : Profiles or None
        The claims under each accounting profile; None if they were not run.
    matrix : Matrix or None
        The mutation matrix; None if it was not run.
    seconds : float
        Wall-clock time of the evaluation, seconds.
    runs : int
        Number of different runs of the evaluation.
    cpu_seconds : float
        Processor time of these runs, including stored ones, seconds.
    seed : int
        Seed of all runs.
    engine : str
        Version of the engine that computed the runs.
    grown : Evidence or None
        The plain runs including those added for undecided claims; None while the paper is being run.
    unfinished : tuple of Figure or None
        The figures with missing runs while the paper is being run (there are no claims then); None after its end.
    causes : bool
        Whether runs were made for undecided claims, for causes and for the sensitivity table. If not, the report takes
        these from the published results.
    """

    paper: Paper
    precision: Precision
    figure: str | None
    evidence: Evidence
    claims: list[Verified]
    sensitivity: list[Row] = field(default_factory=list)
    profiles: Profiles | None = None
    matrix: Matrix | None = None
    seconds: float = 0.0
    runs: int = 0
    cpu_seconds: float = 0.0
    seed: int = SEED
    engine: str = ""
    grown: Evidence | None = None
    unfinished: tuple[Figure, ...] | None = None
    causes: bool = True


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of several papers."""

    papers: list[PaperEvaluation]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim as plain data for JSON."""
        tables = {part.paper.name: load(part.paper.name) for part in self.papers}
        return [plain_claim(item, part, tables[part.paper.name]) for part in self.papers for item in part.claims]

    def write_report(self, path: str | Path) -> Path:
        """Write the first page of the report, a page for each paper and the figures; return the first page."""
        from manypath.report.build import build

        return build(self, Path(file("report", path)))


Grow = Callable[[PaperEvaluation], None]
"""Receives the intermediate evaluations of a paper."""


def evaluate(
    papers: Sequence[Paper],
    *,
    figure: Number | None = None,
    runs: int | None = None,
    full: bool = False,
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
    papers
        The papers.
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
        Whether to run the mutation matrix; by default with full precision of the whole paper.
    store
        Folder of results. Stored runs are not computed again. None stores nothing.
    progress
        Whether to show progress, or the display that shows it.
    workers
        Number of threads; all cores if None.
    compute
        Whether to compute runs that the store lacks.
    executor
        Executor that computes the runs; threads of this machine if None.
    report
        Folder of a report that is updated when all runs of a figure are finished; None writes no report.

    Raises
    ------
    UserError
        If the report would replace a file that this package did not write.
    NotStored
        If the store lacks a run and `compute` is false.
    """
    number = None if figure is None else str(figure)
    chosen = _with_figure(papers, number)
    precisions = {paper.name: _with_runs(paper.precision(full=full), runs) for paper in chosen}
    grow = None if report is None else _growing(report, chosen, tell=bool(progress))
    parts: dict[str, PaperEvaluation] = {}
    for paper in _cheapest_first(chosen, precisions) if grow else chosen:
        started = time.monotonic()
        runner = Runner(paper, precisions[paper.name], store, progress, workers, compute, executor)
        searches = _searches(paper, full=full, runs=runs) if causes is None else causes
        part = _evaluate(runner, number, grow, causes=searches, all_switches=full)
        if paper.claims and (full if profiles is None else profiles):
            part = replace(part, profiles=compare_profiles(runner, part.claims, part.evidence))
        if paper.mutations and number is None and (full if mutations is None else mutations):
            part = replace(part, matrix=mutate(runner))
        parts[paper.name] = replace(
            part,
            seconds=time.monotonic() - started,
            runs=len(runner.costs),
            cpu_seconds=sum(runner.costs.values()),
        )
        if grow:
            grow(parts[paper.name])
    return Evaluation([parts[paper.name] for paper in chosen])


def _growing(target: Path, papers: Sequence[Paper], *, tell: bool) -> Grow:
    """Return a function that adds the evaluation of a paper, finished or not, to a report.

    If `tell` is true, its first call prints the path of the report. The report lists the full results of the package
    before the first run.
    """
    from manypath.report.build import Report

    report = Report(target, papers)
    report.begin()
    told: list[Path] = []

    def grow(part: PaperEvaluation) -> None:
        page = report.add(part)
        if tell and not told:
            told.append(page)
            sys.stderr.write(f"report: {page} shows the first figures; reload it for further ones\n")

    return grow


def _cheapest_first(papers: Sequence[Paper], precisions: Mapping[str, Precision]) -> list[Paper]:
    """Return the papers, starting with the paper of the cheapest figure."""
    first = min(papers, key=lambda paper: cost_of_first(paper, precisions[paper.name]))
    return [first, *(paper for paper in papers if paper is not first)]


def _plain_runs(runner: Runner, figure: str | None, cases: Sequence[Case], grow: Grow | None) -> dict[Case, Runs]:
    """Return the runs of a paper without switches. Missing runs are computed and reported figure by figure."""
    stored = None if grow is None else runner.stored(cases)
    if grow is None or stored is not None:
        return runner.plain(cases) if stored is None else stored
    figures = [each for each in runner.paper.figures if figure in (None, str(each.number))]
    found: dict[Case, Runs] = {}
    missing = figures
    for stage in stages(runner.paper, runner.precision, figures, cases):
        found.update(runner.plain(stage.cases))
        missing = [each for each in missing if each not in stage.figures]
        if stage.figures:
            part = PaperEvaluation(
                paper=runner.paper,
                precision=runner.precision,
                figure=figure,
                evidence=Evidence({case: found[case] for case in cases if case in found}),
                claims=[],
                engine=_native.engine_version(),
                unfinished=tuple(missing),
            )
            grow(part)
    return {case: found[case] for case in cases}


def _evaluate(
    runner: Runner, figure: str | None, grow: Grow | None, *, causes: bool, all_switches: bool
) -> PaperEvaluation:
    """Evaluate one paper, or one of its figures."""
    paper, precision = runner.paper, runner.precision
    claims = [claim for claim in paper.claims if figure is None or str(claim.figure) == figure]
    names = None if figure is None else _experiments_of(paper, figure)
    cases = list(paper.experiments.cases(precision, names))
    evidence = Evidence(_plain_runs(runner, figure, cases, grow))
    looks = plan(precision.replications, precision.most if causes else 0)
    decided, grown = decide(claims, evidence, looks, runner.plain, precision.budget)
    part = PaperEvaluation(
        paper=paper,
        precision=precision,
        figure=figure,
        evidence=evidence,
        grown=grown,
        claims=decided,
        engine=_native.engine_version(),
        causes=causes,
    )
    if causes:
        return _with_causes(part, runner, all_switches=all_switches)
    return replace(part, claims=[untried(item) for item in decided])


def _with_causes(part: PaperEvaluation, runner: Runner, *, all_switches: bool) -> PaperEvaluation:
    """Search for the causes of claims that do not hold, and measure the sensitivity of a whole paper."""
    paper = runner.paper
    verified, evidence = find_causes(
        part.claims,
        part.evidence,
        paper.switches,
        lambda requests: runner.switched(requests, "causes"),
        runner.is_changed,
        exhaustive=all_switches,
        trial_cases=runner.precision.trial_cases,
    )
    wanted = tuple(
        switch
        for switch in paper.sensitivity.switches
        if part.figure is None and (all_switches or switch.name in paper.sensitivity.quick)
    )
    rows = measure_sensitivity(runner, evidence, wanted) if wanted else []
    return replace(part, evidence=evidence, claims=verified, sensitivity=rows)


def _searches(paper: Paper, *, full: bool, runs: int | None) -> bool:
    """Return whether to search for causes by default. Quick precision takes them from published results."""
    published = None if full or runs is not None else load(paper.name)
    return published is None or not is_of(published, paper)


def _with_figure(papers: Sequence[Paper], figure: str | None) -> list[Paper]:
    """Return the papers with a figure of this number."""
    numbers = {paper.name: {str(drawing.number) for drawing in paper.figures} for paper in papers}
    found = [paper for paper in papers if figure is None or figure in numbers[paper.name]]
    if figure is not None and not found:
        known = sorted({number for each in numbers.values() for number in each})
        raise UserError(
            f"figure: {figure or quoted('')} is no figure of {' or '.join(numbers)}: {remedy(figure, known)}"
        )
    return found


def _experiments_of(paper: Paper, figure: str) -> set[str]:
    """Return the experiments of a figure, and those that its drawings read."""
    own = {experiment.name for experiment in paper.experiments.all() if str(experiment.figure) == figure}
    drawn = {name for drawing in paper.figures if str(drawing.number) == figure for name in drawing.experiments}
    return own | drawn


def _with_runs(precision: Precision, runs: int | None) -> Precision:
    """Return a precision with `runs` replications, or the same one if `runs` is None."""
    if runs is None:
        return precision
    if runs < 1:
        raise UserError(f"runs: {runs} is no number of repetitions: give 1 or more")
    return replace(precision, replications=runs, trials=min(precision.trials, runs), most=0)
