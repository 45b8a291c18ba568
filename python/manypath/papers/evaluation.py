"""The evaluation of papers: runs what is missing, and checks every claim."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manypath.arguments import MOST_RUNS, file, function, truth, truth_or_default, whole
from manypath.campaign.executors import Executor
from manypath.campaign.executors.executor import check_executor
from manypath.campaign.executors.local import threads_of
from manypath.campaign.progress import Progress, check_progress
from manypath.errors import UserError, quoted, remedy
from manypath.papers import chosen
from manypath.papers.background import Background
from manypath.papers.changed import measure_change
from manypath.papers.evidence import Case, Number
from manypath.papers.experiment import Precision
from manypath.papers.given_changes import Changes, Reach, reach_of
from manypath.papers.mutations import mutate
from manypath.papers.open_settings.experiment import measure
from manypath.papers.paper import Paper
from manypath.papers.paper_evaluation import Grow, PaperEvaluation, cases_of, evaluate_paper
from manypath.papers.plain import plain_claim
from manypath.papers.profiles import compare_profiles
from manypath.papers.progress import PapersProgress, papers_on_stderr
from manypath.papers.published import is_of, load
from manypath.papers.runner import Runner
from manypath.papers.sampled import check_curves
from manypath.papers.side_effects import cures, side_effects
from manypath.papers.stages import cost_of_first
from manypath.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The evaluation of several papers."""

    papers: list[PaperEvaluation]

    def __repr__(self) -> str:
        """Return the verdicts as a table."""
        return repr(self.verdicts)

    def _repr_html_(self) -> str:
        """Return the same table as HTML for a notebook."""
        return self.verdicts.to_html(max_rows=MOST_ROWS)

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim as plain data for JSON."""
        tables = {part.paper.name: load(part.paper.name) for part in self.papers}
        return [plain_claim(item, part, tables[part.paper.name]) for part in self.papers for item in part.claims]

    @property
    def verdicts(self) -> pd.DataFrame:
        """Every claim as a row of a frame: its verdict and measured values, also those with the changes."""
        from manypath.papers.claim_frames import verdicts_frame

        return verdicts_frame(self.papers)

    @property
    def estimates(self) -> pd.DataFrame:
        """Every point of every claim as a row of a frame, if there are changes.

        A row has the measured quantity with its 95 % half-width without the changes (``value``) and with them
        (``changed``), the difference in pairs of replications (``moved``), the number of the paper (``printed``) and
        the range that the claim requires (``low``, ``high``), in ``unit``.
        """
        from manypath.papers.claim_frames import estimates_frame

        return estimates_frame(self.papers)


def evaluate(
    names: str | Iterable[str | Paper] | None = None,
    figure: Number | None = None,
    runs: int | None = None,
    full: bool = False,
    *,
    causes: bool | None = None,
    profiles: bool | None = None,
    mutations: bool | None = None,
    open_settings: bool | None = None,
    store: str | Path | None = "runs",
    progress: bool | Progress = True,
    workers: int | None = None,
    compute: bool = True,
    executor: Executor | None = None,
    grow: Grow | None = None,
    changes: Changes | None = None,
) -> Evaluation:
    """Run papers and check their claims.

    Parameters
    ----------
    names
        Papers or studies, or their names. If None or empty, all papers are run; with `full` all studies, too.
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
    open_settings
        Whether to decide the claims over what the text leaves open, for papers that declare it; by default with full
        precision.
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
    grow
        Function that is called with the evaluation of a paper whenever all runs of a figure are finished, and at the
        end, such as `manypath.report.growing`. The paper with the cheapest figure is then evaluated first.
    changes
        New values of fields by their places in scenarios, such as ``{"flows.cmt.send_buffer": "1 MB"}``; ``*`` stands
        for any name, as in ``"network.links.*.queue"``. Every scenario with such a field is run with and without them,
        and every claim has both verdicts. Papers without any of the fields are left out. Causes, profiles,
        mutations and open settings are not run.

    Raises
    ------
    UserError
        If a paper or figure does not exist, if no scenario has a changed field, or if its value is invalid.
    NotStored
        If the store lacks a run and `compute` is false.
    """
    extras = {"causes": causes, "profiles": profiles, "mutations": mutations, "open_settings": open_settings}
    _check_arguments(extras, full, compute, store, progress, workers, executor, grow)
    number = None if figure is None else str(figure)
    papers = narrowed(chosen(names, full=full), number, runs)
    precisions = {paper.name: _with_runs(paper.precision(full=full), runs) for paper in papers}
    reaches: dict[str, Reach] = {}
    if changes is not None:
        _refuse_with_changes(**extras)
        causes = profiles = mutations = open_settings = False
        reaches = _reaches(changes, papers, precisions, number)
        papers = [paper for paper in papers if paper.name in reaches]
    display = papers_on_stderr(len(papers)) if progress is True else None
    parts: dict[str, PaperEvaluation] = {}

    def searches(paper: Paper) -> bool:
        return _searches(paper, full=full, runs=runs) if causes is None else causes

    with closing(display) if display else nullcontext(), Background(grow) if grow else nullcontext() as growing:
        for paper in _cheapest_first(papers, precisions) if growing else papers:
            runner = Runner(paper, precisions[paper.name], store, display or progress, workers, compute, executor)
            extras = _Extras(full, searches(paper), profiles, mutations, open_settings, reaches.get(paper.name))
            parts[paper.name] = _evaluate(runner, number, extras, growing, display)
        if display and growing:
            display.state("the last figures are drawn")
    return Evaluation([parts[paper.name] for paper in papers])


def _check_arguments(
    extras: Mapping[str, Any],
    full: object,
    compute: object,
    store: object,
    progress: object,
    workers: int | None,
    executor: object,
    grow: object,
) -> None:
    """Refuse arguments of other types before the first run; `extras` are booleans with a default."""
    truth("full", full)
    truth("compute", compute)
    for name, value in extras.items():
        truth_or_default(name, value)
    if store is not None:
        file("store", store)
    check_progress(progress)
    threads_of(workers)
    check_executor(executor)
    function("grow", grow, "an evaluation")


@dataclass(frozen=True)
class _Extras:
    """Parts of an evaluation beyond the plain runs: whether they are made, None for the default of the precision.

    `reach` is the reach of the changes; None without changes.
    """

    full: bool
    causes: bool
    profiles: bool | None
    mutations: bool | None
    open_settings: bool | None
    reach: Reach | None


def _evaluate(
    runner: Runner, number: str | None, extras: _Extras, grow: Grow | None, display: PapersProgress | None
) -> PaperEvaluation:
    """Evaluate one paper, or its figure of this number, and show its beginning and its end."""
    started = time.monotonic()
    paper, precision, full = runner.paper, runner.precision, extras.full
    if display:
        cases = len(cases_of(paper, precision, number)) + (len(extras.reach.changed) if extras.reach else 0)
        display.begin_paper(paper.name, cases * precision.replications)
    part = evaluate_paper(runner, number, grow, causes=extras.causes, all_switches=full)
    if paper.claims and (full if extras.profiles is None else extras.profiles):
        part = replace(part, profiles=compare_profiles(runner, part.claims, part.evidence))
    if paper.mutations and number is None and (full if extras.mutations is None else extras.mutations):
        part = _with_mutations(part, runner)
    if paper.open_settings and (full if extras.open_settings is None else extras.open_settings):
        part = replace(part, over=measure(runner, paper.open_settings, [item.claim for item in part.claims]))
    if extras.reach is not None:
        part = replace(part, change=measure_change(runner, extras.reach, part.claims, part.evidence))
    seconds = time.monotonic() - started
    part = replace(part, seconds=seconds, runs=len(runner.costs), cpu_seconds=sum(runner.costs.values()))
    if grow:
        grow(part)
    if display:
        display.end_paper(paper.name, seconds)
    return part


def _with_mutations(part: PaperEvaluation, runner: Runner) -> PaperEvaluation:
    """Run the mutation matrix, and the whole paper with each cause of a claim, together."""
    mutations, changes = part.paper.mutations, cures(part.claims)
    names = {mutation.name for mutation in mutations}
    both = mutate(runner, (*mutations, *(change for change in changes if change.name not in names)))
    return replace(part, matrix=both.of(mutations), broken=side_effects(part.claims, changes, both))


def _refuse_with_changes(**extras: bool | None) -> None:
    """Refuse parts of an evaluation that are not made with changes."""
    for name, value in extras.items():
        if value:
            raise UserError(f"{name}: not valid with changes, which only compare verdicts: leave one of them out")


def _reaches(
    changes: Changes, papers: Sequence[Paper], precisions: Mapping[str, Precision], number: str | None
) -> dict[str, Reach]:
    """Return the reach of changes in the scenarios of papers that would be run."""
    scenarios = {
        paper.name: {
            case: paper.experiments.scenario(case, precisions[paper.name])
            for case in cases_of(paper, precisions[paper.name], number)
        }
        for paper in papers
    }
    reaches = reach_of(changes, scenarios)
    for paper in papers:
        if paper.name in reaches:
            _check_curves(paper, scenarios[paper.name], reaches[paper.name])
    return reaches


def _check_curves(paper: Paper, scenarios: Mapping[Case, Scenario], reach: Reach) -> None:
    """Refuse a change with which window curves do not fit into memory, before the runs without the change."""
    for case in reach.changed:
        series = paper.experiments[case.experiment].series
        if series is not None:
            try:
                check_curves(reach.switch.change(scenarios[case]).document(), series)
            except UserError as error:
                raise UserError(f"{error} (in {case})") from None


def _cheapest_first(papers: Sequence[Paper], precisions: Mapping[str, Precision]) -> list[Paper]:
    """Return the papers, starting with the paper of the cheapest figure."""
    first = min(papers, key=lambda paper: cost_of_first(paper, precisions[paper.name]))
    return [first, *(paper for paper in papers if paper is not first)]


def _searches(paper: Paper, *, full: bool, runs: int | None) -> bool:
    """Return whether to search for causes by default. Quick precision takes them from published results."""
    published = None if full or runs is not None else load(paper.name)
    return published is None or not is_of(published, paper)


def narrowed(papers: Sequence[Paper], figure: str | None, runs: int | None) -> list[Paper]:
    """Return the papers with a figure of this number, and check the number of replications.

    Raises
    ------
    UserError
        If no paper has the figure, or the number of replications is invalid.
    """
    if runs is not None:
        whole("runs", runs, "number of replications", least=1, below=MOST_RUNS + 1)
    numbers = {paper.name: {str(drawing.number) for drawing in paper.figures} for paper in papers}
    found = [paper for paper in papers if figure is None or figure in numbers[paper.name]]
    if figure is not None and not found:
        known = sorted({number for each in numbers.values() for number in each})
        raise UserError(
            f"figure: {figure or quoted('')} is no figure of {' or '.join(numbers)}: {remedy(figure, known)}"
        )
    return found


def _with_runs(precision: Precision, runs: int | None) -> Precision:
    """Return a precision with `runs` replications, or the same one if `runs` is None."""
    if runs is None:
        return precision
    return replace(precision, replications=runs, trials=min(precision.trials, runs), most=0)


MOST_ROWS = 60
"""Largest number of verdicts that a notebook shows, the first and the last."""
