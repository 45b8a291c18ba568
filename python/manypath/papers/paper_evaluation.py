"""The evaluation of one paper: runs, verdicts, causes, sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from manypath import _native
from manypath.papers.causes import Verified, find_causes, untried
from manypath.papers.changed import ChangedPaper
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.experiment import Precision
from manypath.papers.guard import guarded
from manypath.papers.mutations import Matrix
from manypath.papers.open_settings.experiment import OverSettings
from manypath.papers.paper import Figure, Paper
from manypath.papers.profiles import Profiles
from manypath.papers.regimes import by_halves
from manypath.papers.runner import SEED, Runner
from manypath.papers.sensitivity import SensitivityRow, measure_sensitivity
from manypath.papers.sequential import decide
from manypath.papers.side_effects import SideEffects
from manypath.papers.stages import stages
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
    over : OverSettings or None
        The claims over the open settings of the paper; None if they were not run.
    change : ChangedPaper or None
        The claims with a change that the user gave; None without a change.
    broken : mapping
        The standing claims that each cause breaks, by the description of the cause; empty if this was not tested.
    """

    paper: Paper
    precision: Precision
    figure: str | None
    evidence: Evidence
    claims: list[Verified]
    sensitivity: list[SensitivityRow] = field(default_factory=list)
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
    over: OverSettings | None = None
    change: ChangedPaper | None = None
    broken: SideEffects = field(default_factory=dict)

    @property
    def preliminary(self) -> bool:
        """Whether verdicts are from fewer or shorter runs than those of full precision."""
        full = self.paper.full
        return self.precision.name != "full" or self.precision.replications < full.replications


Grow = Callable[[PaperEvaluation], None]
"""Receives the intermediate evaluations of a paper."""


def evaluate_paper(
    runner: Runner, figure: str | None, grow: Grow | None, *, causes: bool, all_switches: bool
) -> PaperEvaluation:
    """Evaluate one paper, or one of its figures."""
    paper, precision = runner.paper, runner.precision
    claims = [claim for claim in paper.claims if figure is None or str(claim.figure) == figure]
    cases = cases_of(paper, precision, figure)
    evidence = Evidence(_plain_runs(runner, figure, cases, grow))
    looks = plan(precision.replications, precision.most if causes else 0)
    decided, grown = decide(claims, evidence, looks, runner.plain, precision.budget)
    decided = by_halves(guarded(decided, paper, precision), grown, runner)
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


def cases_of(paper: Paper, precision: Precision, figure: str | None) -> list[Case]:
    """Return the cases of a paper without switches, or those of one of its figures."""
    return list(paper.experiments.cases(precision, None if figure is None else _experiments_of(paper, figure)))


def _experiments_of(paper: Paper, figure: str) -> set[str]:
    """Return the experiments of a figure, and those that its drawings read."""
    own = {experiment.name for experiment in paper.experiments.all() if str(experiment.figure) == figure}
    drawn = {name for drawing in paper.figures if str(drawing.number) == figure for name in drawing.experiments}
    return own | drawn
