"""The content of a page as texts and numbers. The templates compute nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from markupsafe import Markup

from manypath.papers.claim import facts_and_sentences
from manypath.papers.comparison import Difference, compare
from manypath.papers.evidence import Case, Evidence, Number
from manypath.papers.mean import Mean
from manypath.papers.open_settings.kept import KeptSetting
from manypath.papers.paired import estimate
from manypath.papers.paper import Paper, Setting
from manypath.papers.published import Published, load
from manypath.papers.published_rows import PublishedChange
from manypath.report.claims import ClaimView, claims_of
from manypath.report.columns import columns_of, counts_of
from manypath.report.open_settings import over_of
from manypath.report.reconstruction import ReconstructionView, reconstruction_of
from manypath.report.regimes import HEAD, regime_rows
from manypath.report.variants import MatrixView, ProfilesView, matrix_of, profiles_of
from manypath.rows import Outcome

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation

REGIMES = (
    "A flow has another rate in the part of the window than in the rest, by more than a quarter of its mean, or by "
    "more than two thirds if the part is a quarter of the window. A claim that averages over such a window has a "
    "verdict only if it has the same in both halves. Windows of full precision; cases whose scenario itself changes "
    "are left out."
)
"""Caption of the table of windows with two regimes."""

FAR = 5.0
"""Smallest difference to another simulator that is marked, in per cent of the total goodput."""


@dataclass(frozen=True)
class Drawing:
    """A figure as an SVG element and as a plotly document, which is empty without plotly."""

    svg: str
    chart: str = ""


@dataclass(frozen=True)
class FigureView:
    """A figure: number, file name, caption, drawing, chart, and the claims about it."""

    number: Number
    name: str
    caption: str
    drawing: Markup
    chart: Markup
    claims: list[ClaimView]


@dataclass(frozen=True)
class TableView:
    """An additional table: name, caption, columns and rows."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True)
class ColumnView:
    """A column of verdicts on the claims of a page: its name, and the count of each verdict."""

    name: str
    counts: dict[str, int]


@dataclass(frozen=True)
class ComparisonView:
    """A point of our simulator and another one; the difference is in per cent of the total goodput."""

    place: str
    flow: str
    ours: str
    theirs: str
    difference: str
    far: bool


@dataclass(frozen=True)
class DifferenceView:
    """A point of a figure that differs significantly from the full results, Mbit/s."""

    place: str
    flow: str
    here: str
    full: str


@dataclass(frozen=True)
class AgreementView:
    """Agreement of the local runs with the full results: texts about points and verdicts, and the differing points."""

    points: str
    verdicts: str
    differences: list[DifferenceView]


@dataclass(frozen=True)
class SensitivityView:
    """One change at one point: the goodput without it, and the difference with it."""

    place: str
    switch: str
    flow: str
    before: str
    difference: str
    significant: bool


@dataclass(frozen=True)
class CostView:
    """The cost of an experiment: cases, runs, runs with one change, simulated time and processor time in seconds."""

    experiment: str
    cases: int
    runs: int
    trials: int
    simulated: str
    processor: str


@dataclass(frozen=True)
class PaperView:
    """A page about a paper: `ran` is the processor time of its runs, `took` the duration of this call.

    `missing` names the parts that are still to be run. `reconstruction` is None without a published one. `full`
    describes the full results if causes and sensitivity are from them; else it is empty.
    """

    paper: Paper
    file: str
    preliminary: bool
    scope: str
    facts_and_sentences: str
    columns: list[ColumnView]
    open_settings: tuple[KeptSetting, ...]
    reconstruction: ReconstructionView | None
    full: str
    agreement: AgreementView | None
    figures: list[FigureView]
    tables: list[TableView]
    claims: list[ClaimView]
    setup: tuple[Setting, ...]
    comparison: list[ComparisonView]
    sensitivity: list[SensitivityView]
    profiles: ProfilesView | None
    matrix: MatrixView | None
    facts: list[tuple[str, str]]
    costs: list[CostView]
    ran: str
    took: str
    missing: str


def view_of(part: PaperEvaluation) -> PaperView:
    """Return the page of an evaluated paper, without figures."""
    paper = part.paper
    columns = columns_of(part)
    published = load(paper.name)
    full = None if part.causes and part.unfinished is None else published
    # The tables of the full results are about whole papers.
    whole = full if part.figure is None else None
    others = dict(list(columns.items())[1:])
    over = over_of(part, published)
    return PaperView(
        paper=paper,
        file=f"{paper.name}.html",
        preliminary=part.unfinished is None and part.preliminary,
        scope="all figures" if part.figure is None else f"figure {part.figure} only",
        facts_and_sentences=facts_and_sentences(paper.claims),
        open_settings=() if over is None else over.settings,
        columns=[ColumnView(name, counts_of(verdicts)) for name, verdicts in columns.items()],
        reconstruction=reconstruction_of(paper.name),
        full="" if full is None else f"engine {full.engine}, {full.runs:,} runs",
        agreement=None if published is None or part.unfinished is not None else _agreement(part, published),
        figures=[],
        tables=[
            *(TableView(each.name, each.caption, each.head, rows) for each, rows in paper.filled_tables(part.evidence)),
            *_regimes(part),
        ],
        claims=claims_of(part, others, full, over),
        setup=paper.setup,
        comparison=_comparison(paper, part.evidence),
        sensitivity=_sensitivity(part, whole),
        profiles=profiles_of(part, whole),
        matrix=matrix_of(part, whole),
        facts=_facts(part),
        costs=_costs(part.evidence),
        ran=_duration(sum(outcome.get("cpu_seconds", 0.0) for outcome in _every_outcome(part.evidence))),
        took=_duration(part.seconds),
        missing=_missing(part),
    )


def _regimes(part: PaperEvaluation) -> list[TableView]:
    """Return the table of windows with two regimes, if there are any."""
    rows = regime_rows(part)
    return [TableView("Windows with two regimes", REGIMES, HEAD, rows)] if rows else []


def _missing(part: PaperEvaluation) -> str:
    """Return the names of the parts of a paper that are still to be run; empty if it is finished."""
    if part.unfinished is None:
        return ""
    numbers = list(dict.fromkeys(str(figure.number) for figure in part.unfinished))
    figures = [f"{'figure' if len(numbers) == 1 else 'figures'} {', '.join(numbers)}"] if numbers else []
    return " and ".join([*figures, *(["the claims"] if part.paper.claims else ["the tables"])])


def illustrated(view: PaperView, drawings: Mapping[str, Drawing]) -> PaperView:
    """Return a page with figures; `drawings` are by the name of the figure."""
    shown = [each for each in view.paper.figures if each.name in drawings]
    # Of several drawings of one figure only the first has the claims.
    first = {str(each.number): each.name for each in reversed(shown)}
    figures = [
        FigureView(
            each.number,
            each.name,
            each.caption,
            drawing=Markup(drawings[each.name].svg),  # noqa: S704 - drawn here
            chart=Markup(drawings[each.name].chart),  # noqa: S704 - drawn here
            claims=[claim for claim in view.claims if each.name == first.get(claim.figure)],
        )
        for each in shown
    ]
    return replace(view, figures=figures)


def _comparison(paper: Paper, evidence: Evidence) -> list[ComparisonView]:
    """Compare each reference point that was run here, for each flow."""
    here = set(evidence.cases())
    rows: list[ComparisonView] = []
    for point in paper.reference_points:
        case = Case.of(point.experiment, **point.factors)
        if case not in here:
            continue
        total = sum(theirs.mean for theirs in point.goodput.values())
        for flow, theirs in point.goodput.items():
            ours = evidence.goodput(case.experiment, flow, **dict(case.factors))
            difference = 100.0 * (float(ours.mean()) - theirs.mean) / total
            rows.append(
                ComparisonView(
                    place=_place(case),
                    flow=flow,
                    ours=estimate(ours),
                    theirs=f"{theirs.mean:.2f}"
                    + (f" ({theirs.low:.2f} to {theirs.high:.2f})" if theirs.low < theirs.high else ""),
                    difference=f"{difference:+.1f} %",
                    far=abs(difference) > FAR,
                )
            )
    return rows


def _agreement(part: PaperEvaluation, published: Published) -> AgreementView:
    """Compare the runs and verdicts with the full results."""
    found = compare(part, published)
    return AgreementView(str(found), found.of_verdicts() if found.claims else "", [*map(_differing, found.differences)])


def _differing(difference: Difference) -> DifferenceView:
    return DifferenceView(_place(difference.case), difference.flow, str(difference.here), str(difference.published))


def _sensitivity(part: PaperEvaluation, full: Published | None) -> list[SensitivityView]:
    """Return the rows of the sensitivity table, from the full results if given, else from the local runs."""
    if full is not None:
        return [_changed(row) for row in full.sensitivity]
    return [
        _changed(
            PublishedChange(
                row.case, row.switch.says, row.flow, Mean.of(row.before), Mean.of(row.difference), row.significant
            )
        )
        for row in part.sensitivity
    ]


def _changed(row: PublishedChange) -> SensitivityView:
    return SensitivityView(
        place=_place(row.case),
        switch=row.changed,
        flow=row.flow,
        before=str(row.before),
        difference=row.difference.signed(),
        significant=row.significant,
    )


def _costs(evidence: Evidence) -> list[CostView]:
    """Return the total cost of the runs of each experiment, including stored runs."""
    plain = [(case, evidence.runs(case).outcomes) for case in evidence.cases()]
    changed = [(case, runs.outcomes) for _, case, runs in evidence.trials()]
    costs: list[CostView] = []
    for name in dict.fromkeys(case.experiment for case, _ in plain):
        own = [outcomes for case, outcomes in plain if case.experiment == name]
        trials = [outcomes for case, outcomes in changed if case.experiment == name]
        every = [outcome for outcomes in own + trials for outcome in outcomes]
        costs.append(
            CostView(
                experiment=name,
                cases=len(own),
                runs=sum(map(len, own)),
                trials=sum(map(len, trials)),
                simulated=f"{sum(outcome.get('simulated_seconds', 0.0) for outcome in every):,.0f}",
                processor=f"{sum(outcome.get('cpu_seconds', 0.0) for outcome in every):,.1f}",
            )
        )
    return costs


def _every_outcome(evidence: Evidence) -> list[Outcome]:
    """Return the outcomes of all runs, including those with one change."""
    every = [evidence.runs(case) for case in evidence.cases()] + [runs for _, _, runs in evidence.trials()]
    return [outcome for runs in every for outcome in runs.outcomes]


def _facts(part: PaperEvaluation) -> list[tuple[str, str]]:
    """Return facts about the runs, as (name, value). Equal runs give equal facts."""
    evidence = part.grown or part.evidence
    outcomes = [outcome for case in evidence.cases() for outcome in evidence.runs(case).outcomes]
    processor = sum(outcome.get("cpu_seconds", 0.0) for outcome in outcomes)
    hops = sum(outcome.get("packet_hops", 0) for outcome in outcomes)
    simulated = sum(outcome.get("simulated_seconds", 0.0) for outcome in outcomes)
    return [
        ("precision", part.precision.name),
        ("replications", _replications(evidence)),
        ("window", f"{part.precision.measure} after a transient of {part.precision.warmup}"),
        ("seed", f"{part.seed}, replications counted from 0"),
        ("runs behind the claims", f"{len(outcomes):,}"),
        ("simulated time", f"{simulated:,.0f} s"),
        ("packet hops", f"{hops:,}"),
        ("processor time of these runs", f"{processor:,.1f} s"),
        ("engine", part.engine),
    ]


def _replications(evidence: Evidence) -> str:
    """Return as text the number of runs of each case, and its maximum for claims that were undecided."""
    numbers = [len(evidence.runs(case).outcomes) for case in evidence.cases()]
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{least}, up to {most} where claims were undecided" if most > least else str(least)


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _place(case: Case) -> str:
    levels = ", ".join(f"{name} = {level}" for name, level in case.factors)
    return f"{case.experiment}: {levels}"
