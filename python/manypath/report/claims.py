"""The card of a claim: a row for each part, and a table of experiments for each part that does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from manypath.papers import NAMES
from manypath.papers.budget import Budget
from manypath.papers.causes import Verified
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.mean import Mean
from manypath.papers.paired import estimate
from manypath.papers.predicates import label
from manypath.papers.published import Published, PublishedClaim, PublishedPart
from manypath.papers.reading import Reading
from manypath.papers.reconstruction.result import kept_result
from manypath.papers.side_effects import SideEffects
from manypath.papers.tried import Tried, tried_on
from manypath.papers.verdict import NOTHING_DECIDES, Verdict
from manypath.report.open_settings import OverView, on_card
from manypath.report.strips import Axis, Lane, Range, named, scaled, strip

if TYPE_CHECKING:
    from manypath.papers.open_settings.kept import KeptOver
    from manypath.papers.paper_evaluation import PaperEvaluation


@dataclass(frozen=True)
class PartView:
    """A row of a claim: its part, the picture, the values, and the number of runs that decide an undecided part."""

    what: str
    verdict: Verdict
    picture: Markup
    measured: str
    expected: str
    runs: int
    outlook: str


@dataclass(frozen=True)
class TrialView:
    """A row of a table of experiments: the change, by how much it moves the part, and the verdict with it.

    `breaks` has the ids of the standing claims that the change breaks.
    """

    changed: str
    moved: str
    certain: bool
    picture: Markup
    verdict: Verdict
    breaks: tuple[str, ...] = ()


@dataclass(frozen=True)
class CauseView:
    """The experiments on one contradicted or undecided part; `unit` is the unit of the moves."""

    what: str
    unit: str
    trials: list[TrialView]


@dataclass(frozen=True)
class ClaimView:
    """The card of a claim; `verdicts` contains the verdicts of the other columns of its page, by column.

    `over` is the verdict over the open settings, if any. `halves` has the verdicts in both halves of windows with two
    regimes, or nothing. `history` has a sentence for each change of the claim.
    `full` summarizes the full results if explanation and causes are from them; else it is empty. `reconstructed` says
    what decides a claim that is undecided under the reconstructed settings; else it is empty.
    """

    id: str
    place: str
    says: str
    figure: str
    verdict: Verdict
    verdicts: Mapping[str, str]
    runs: int
    parts: list[PartView]
    over: OverView | None
    halves: tuple[Verdict, ...]
    history: list[str]
    full: str
    reconstructed: str
    causes: list[CauseView]
    explanation: str
    unfinished: str


def claims_of(
    part: PaperEvaluation,
    others: Mapping[str, Mapping[str, str]],
    full: Published | None = None,
    over: KeptOver | None = None,
) -> list[ClaimView]:
    """Return the cards of all claims of a paper.

    Parameters
    ----------
    part
        The evaluation of the paper.
    others
        Verdicts of the other columns, by column and claim.
    full
        The full results, if causes were not searched for here. A paper that is being run has only the cards of these.
    over
        The verdicts over the open settings, if there are any.
    """
    kept = {} if full is None else full.claims
    paper = part.paper.name
    if part.unfinished is not None:
        claims = [claim for claim in part.paper.claims if part.figure in (None, str(claim.figure))]
        return [
            _kept_card(paper, claim, kept[claim.id], others, on_card(over, claim.id))
            for claim in claims
            if claim.id in kept
        ]
    return [
        _card(paper, item, others, kept.get(item.claim.id), on_card(over, item.claim.id), part.broken)
        for item in part.claims
    ]


def _card(
    paper: str,
    item: Verified,
    others: Mapping[str, Mapping[str, str]],
    kept: PublishedClaim | None,
    over: OverView | None,
    broken: SideEffects,
) -> ClaimView:
    """Return the card of a claim that was checked here."""
    check = item.check
    # The check of an open claim contains the reason.
    explanation = item.unsteady or item.explanation or (check.why if check.verdict == "open" else "")
    return ClaimView(
        id=item.claim.id,
        place=item.claim.place,
        says=item.claim.says,
        figure=_figure_of(item.claim),
        verdict=check.verdict,
        verdicts=_verdicts_on(item.claim, others),
        runs=check.runs,
        parts=[_part(leaf) for leaf in check.leaves()],
        over=over,
        halves=item.halves or (kept.halves if kept else None) or (),
        history=[*map(str, item.claim.history)],
        full="" if kept is None else found_in_full(kept),
        reconstructed=_reconstructed(paper, item.claim),
        causes=[_cause(tried) for tried in (tried_on(item, broken) if kept is None else kept.causes)],
        explanation=explanation if kept is None else explanation or kept.explanation,
        unfinished=item.unfinished,
    )


def _kept_card(
    paper: str,
    claim: Claim,
    kept: PublishedClaim,
    others: Mapping[str, Mapping[str, str]],
    over: OverView | None,
) -> ClaimView:
    """Return the card of a claim from the full results."""
    return ClaimView(
        id=claim.id,
        place=claim.place,
        says=claim.says,
        figure=_figure_of(claim),
        verdict=kept.verdict,
        verdicts=_verdicts_on(claim, others),
        runs=kept.runs,
        parts=[_kept_part(part) for part in kept.parts or (_whole(kept),)],
        over=over,
        halves=kept.halves or (),
        history=[*map(str, claim.history)],
        full=found_in_full(kept),
        reconstructed=_reconstructed(paper, claim),
        causes=[_cause(tried) for tried in kept.causes],
        explanation=kept.explanation or (kept.why if kept.verdict == "open" else ""),
        unfinished="",
    )


def found_in_full(kept: PublishedClaim) -> str:
    """Return the full result of a claim as text: verdict, runs, and what decides an undecided claim."""
    runs = f", {kept.runs:,} runs" if kept.runs else ""
    budget = str(Budget(kept.needed, kept.needed_seconds))
    return f"{kept.verdict}{runs}" + (f"; {budget}" if budget else "")


def _reconstructed(paper: str, claim: Claim) -> str:
    """Return what decides a claim that is undecided under the reconstructed settings; empty for other claims."""
    result = kept_result(paper) if paper in NAMES else None
    found = None if result is None else result.claim(claim.id)
    if found is None or found.reconstructed != "undecided":
        return ""
    return str(Budget(found.needed, found.needed_seconds)) or NOTHING_DECIDES


def _figure_of(claim: Claim) -> str:
    return "" if claim.figure is None else str(claim.figure)


def _verdicts_on(claim: Claim, others: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {name: verdicts[claim.id] for name, verdicts in others.items() if claim.id in verdicts}


def _part(leaf: Check) -> PartView:
    return PartView(
        what=leaf.what,
        verdict=leaf.verdict,
        picture=_picture(leaf),
        measured=_without_head(leaf.measured, leaf.what),
        expected=_without_head(leaf.expected, leaf.what),
        runs=leaf.runs,
        outlook="" if leaf.outlook is None else str(leaf.outlook),
    )


def _kept_part(part: PublishedPart) -> PartView:
    return PartView(
        what=part.what,
        verdict=part.verdict,
        picture=Markup(),
        measured=_without_head(part.measured, part.what),
        expected=_without_head(part.expected, part.what),
        runs=part.runs,
        outlook="",
    )


def _whole(kept: PublishedClaim) -> PublishedPart:
    """Return a part with the values of a claim without parts."""
    return PublishedPart("", kept.verdict, kept.measured, kept.expected, kept.runs)


def _without_head(text: str, what: str) -> str:
    """Return a text about a part without the name of the part."""
    return text.removeprefix(f"{what}: ")


def _picture(leaf: Check) -> Markup:
    """Draw each point of a part with the range that the claim requires."""
    readings = leaf.readings()
    if not readings:
        return Markup()
    moved_to_one_axis, wanted = scaled(list(readings.values()), leaf.unit)
    lanes = [
        Lane(each.mean, each.half_width, _verdict(leaf, key), _told(key, reading, leaf.unit))
        for (key, reading), each in zip(readings.items(), moved_to_one_axis, strict=True)
    ]
    says = f"{leaf.what or 'measured'}: {leaf.verdict}"
    return strip(lanes, wanted, Axis.over(lanes, wanted), says=says)


def _verdict(leaf: Check, point: Any) -> Verdict:
    """Return the verdict at a point; `undecided` for a contradicted point of a part that is not contradicted."""
    alone = leaf.points[point]
    return "undecided" if alone == "contradicted" and not leaf.contradicted else alone


def _told(key: Any, reading: Reading, unit: str) -> str:
    """Format a point and its mean."""
    place = label(key)
    return f"{place}: {estimate(reading.sample)} {unit}".strip(" :")


def _cause(tried: Tried) -> CauseView:
    """Return a row for the part without a change, and a row for each change; significant moves are first."""
    wanted = Range(0.0, float("inf"), (named(0.0, tried.unit), ""))
    lanes = [
        _lane(tried.margin, tried.verdict, tried.unit),
        *(_lane(trial.margin, trial.verdict, tried.unit) for trial in tried.trials),
    ]
    axis = Axis.over(lanes, wanted)
    pictures = [
        strip([lane], wanted, axis, says=f"{lane.says} from the limit of the claim", names=False) for lane in lanes
    ]
    unchanged = TrialView("without a change", "", certain=False, picture=pictures[0], verdict=tried.verdict)
    changes = [
        TrialView(trial.changed, trial.moved.signed(), trial.certain, picture, trial.verdict, trial.breaks)
        for trial, picture in zip(tried.trials, pictures[1:], strict=True)
    ]
    return CauseView(what=tried.what, unit=tried.unit, trials=[unchanged, *changes])


def _lane(margin: Mean, verdict: Verdict, unit: str) -> Lane:
    return Lane(margin.mean, margin.half_width or 0.0, verdict, f"{margin} {unit}".rstrip())
