"""Runs papers, checks their claims, and keeps all that the report shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from manypath import _native
from manypath.campaign.progress import Progress
from manypath.errors import UserError, remedy
from manypath.papers.causes import Verified, find_causes, verify
from manypath.papers.evidence import Evidence, Number
from manypath.papers.experiment import Precision
from manypath.papers.mutations import Matrix, mutate
from manypath.papers.paper import Paper
from manypath.papers.profiles import Profiles, compare_profiles
from manypath.papers.runner import SEED, Runner
from manypath.papers.sensitivity import Row, measure_sensitivity


@dataclass(frozen=True)
class PaperEvaluation:
    """What became of one paper.

    Attributes
    ----------
    paper, precision
        What was run, and how finely.
    figure : str or None
        Number of the only figure that was run, or None for all.
    evidence : Evidence
        The runs.
    claims : list
        The claims with their outcomes and causes.
    sensitivity : list
        How much the open settings matter.
    profiles : Profiles or None
        The claims under each accounting profile, where they were run.
    matrix : Matrix or None
        The mutation matrix, where it was run.
    seconds : float
        How long it took.
    seed : int
        Seed of all runs.
    engine : str
        Version of the engine that ran them.
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
    seed: int = SEED
    engine: str = ""


@dataclass(frozen=True)
class Evaluation:
    """What became of some papers."""

    papers: list[PaperEvaluation]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim as plain data, ready for JSON."""
        return [_plain(item, part) for part in self.papers for item in part.claims]

    def write_report(self, path: str | Path) -> Path:
        """Write the report, a page for each paper beside it, and the figures; return the first page."""
        from manypath.report.build import build

        return build(self, Path(path))


def evaluate(
    papers: Sequence[Paper],
    *,
    figure: Number | None = None,
    runs: int | None = None,
    full: bool = False,
    profiles: bool | None = None,
    mutations: bool | None = None,
    store: str | Path | None = "runs",
    progress: bool | Progress = True,
    workers: int | None = None,
    compute: bool = True,
) -> Evaluation:
    """Run papers and check their claims.

    Parameters
    ----------
    papers
        The papers.
    figure
        Only what this figure shows.
    runs
        Replications, instead of those of the precision.
    full
        The papers' own grids and repetitions.
    profiles
        Whether to check the claims under every accounting profile; by default with full precision.
    mutations
        Whether to run the mutation matrix; by default with full precision of the whole paper.
    store
        Folder of results; what is there is not run again. None keeps nothing.
    progress
        Whether to show how far it is, or what shows it.
    workers
        Threads; all cores if None.
    compute
        Whether what the store lacks is run.

    Raises
    ------
    NotStored
        If the store lacks something and nothing may be run.
    """
    parts: list[PaperEvaluation] = []
    number = None if figure is None else str(figure)
    for paper in _with_figure(papers, number):
        started = time.monotonic()
        precision = _with_runs(paper.precision(full=full), runs)
        runner = Runner(paper, precision, store, progress, workers, compute)
        part = _evaluate(runner, number, all_switches=full)
        if paper.claims and (full if profiles is None else profiles):
            part = replace(part, profiles=compare_profiles(runner, part.claims, part.evidence))
        if paper.mutations and number is None and (full if mutations is None else mutations):
            part = replace(part, matrix=mutate(runner))
        parts.append(replace(part, seconds=time.monotonic() - started))
    return Evaluation(parts)


def _evaluate(runner: Runner, figure: str | None, *, all_switches: bool) -> PaperEvaluation:
    """Run one paper, or one figure of it."""
    paper = runner.paper
    claims = [claim for claim in paper.claims if figure is None or str(claim.figure) == figure]
    names = None if figure is None else _experiments_of(paper, figure)
    evidence = Evidence(runner.plain(paper.experiments.cases(runner.precision, names)))
    verified, evidence = find_causes(
        [verify(claim, evidence) for claim in claims],
        evidence,
        paper.switches,
        lambda requests: runner.switched(requests, "causes"),
        runner.is_changed,
        exhaustive=all_switches,
        trial_cases=runner.precision.trial_cases,
    )
    wanted = tuple(
        switch
        for switch in paper.sensitivity.switches
        if figure is None and (all_switches or switch.name in paper.sensitivity.quick)
    )
    rows = measure_sensitivity(runner, evidence, wanted) if wanted else []
    return PaperEvaluation(
        paper=paper,
        precision=runner.precision,
        figure=figure,
        evidence=evidence,
        claims=verified,
        sensitivity=rows,
        engine=_native.engine_version(),
    )


def _with_figure(papers: Sequence[Paper], figure: str | None) -> list[Paper]:
    """Return the papers that have such a figure."""
    numbers = {paper.name: {str(drawing.number) for drawing in paper.figures} for paper in papers}
    found = [paper for paper in papers if figure is None or figure in numbers[paper.name]]
    if figure is not None and not found:
        known = sorted({number for each in numbers.values() for number in each})
        raise UserError(f"figure: {figure} is no figure of {' or '.join(numbers)}: {remedy(figure, known)}")
    return found


def _experiments_of(paper: Paper, figure: str) -> set[str]:
    """Return the experiments behind a figure: its own, and those that its drawings and claims also read."""
    own = {experiment.name for experiment in paper.experiments.all() if str(experiment.figure) == figure}
    drawn = {name for drawing in paper.figures if str(drawing.number) == figure for name in drawing.experiments}
    return own | drawn


def _with_runs(precision: Precision, runs: int | None) -> Precision:
    """Return a precision with another number of replications."""
    if runs is None:
        return precision
    if runs < 1:
        raise UserError(f"runs: {runs} is no number of repetitions: give 1 or more")
    return replace(precision, replications=runs, trials=min(precision.trials, runs))


def _plain(item: Verified, part: PaperEvaluation) -> dict[str, Any]:
    checks = {} if part.profiles is None else part.profiles.of(item.claim)
    return {
        "id": item.claim.id,
        "paper": part.paper.name,
        "place": item.claim.place,
        "says": item.claim.says,
        "verdict": item.check.verdict,
        "measured": item.check.measured,
        "expected": item.check.expected,
        "runs": item.check.runs,
        "why": item.check.why,
        "profiles": {name: check.verdict for name, check in checks.items()},
    }
