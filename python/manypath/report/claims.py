"""What the card of a claim shows: a row for each part, and a table of experiments where a part does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from manypath.papers.causes import Verified
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.mean import Mean
from manypath.papers.paired import estimate
from manypath.papers.predicates import label
from manypath.papers.published import Published, PublishedClaim, PublishedPart
from manypath.papers.reading import Reading
from manypath.papers.tried import Tried, tried_on
from manypath.papers.verdict import Verdict
from manypath.report.strips import Axis, Lane, Range, named, scaled, strip

if TYPE_CHECKING:
    from manypath.papers.evaluation import PaperEvaluation


@dataclass(frozen=True)
class PartView:
    """A row of a claim: what was compared, the picture, the numbers, and how many runs decide if they do not yet."""

    what: str
    verdict: Verdict
    picture: Markup
    measured: str
    expected: str
    runs: int
    outlook: str


@dataclass(frozen=True)
class TrialView:
    """A row of a table of experiments: what was changed, by how much it moves the part, and what is then."""

    changed: str
    moved: str
    certain: bool
    picture: Markup
    verdict: Verdict


@dataclass(frozen=True)
class CauseView:
    """The experiments on one part that is contradicted or undecided; `unit` is that of the moves."""

    what: str
    unit: str
    trials: list[TrialView]


@dataclass(frozen=True)
class ClaimView:
    """The card of a claim; `verdicts` are those of the other columns of its page by their names.

    `full` says what the full results found, where explanation and causes are theirs; else it is empty.
    """

    id: str
    place: str
    says: str
    figure: str
    verdict: Verdict
    verdicts: Mapping[str, Verdict]
    runs: int
    parts: list[PartView]
    full: str
    causes: list[CauseView]
    explanation: str
    unfinished: bool


def claims_of(
    part: PaperEvaluation, others: Mapping[str, Mapping[str, Verdict]], full: Published | None = None
) -> list[ClaimView]:
    """Return the cards of all claims of a paper.

    Parameters
    ----------
    part
        What became of the paper.
    others
        By the name of a column, verdicts that were found in another way, by claim.
    full
        The full results where causes were not searched for here; a paper that is still being run has their cards alone.
    """
    kept = {} if full is None else full.claims
    if part.unfinished is not None:
        claims = [claim for claim in part.paper.claims if part.figure in (None, str(claim.figure))]
        return [_kept_card(claim, kept[claim.id], others) for claim in claims if claim.id in kept]
    return [_card(item, others, kept.get(item.claim.id)) for item in part.claims]


def _card(item: Verified, others: Mapping[str, Mapping[str, Verdict]], kept: PublishedClaim | None) -> ClaimView:
    """Return the card of a claim that was checked here."""
    check = item.check
    # A claim that nothing can decide says why itself.
    explanation = item.explanation or (check.why if check.verdict == "open" else "")
    return ClaimView(
        id=item.claim.id,
        place=item.claim.place,
        says=item.claim.says,
        figure=_figure_of(item.claim),
        verdict=check.verdict,
        verdicts=_verdicts_on(item.claim, others),
        runs=check.runs,
        parts=[_part(leaf) for leaf in check.leaves()],
        full="" if kept is None else _found(kept),
        causes=[_cause(tried) for tried in (tried_on(item) if kept is None else kept.causes)],
        explanation=explanation if kept is None else explanation or kept.explanation,
        unfinished=item.unfinished,
    )


def _kept_card(claim: Claim, kept: PublishedClaim, others: Mapping[str, Mapping[str, Verdict]]) -> ClaimView:
    """Return the card of a claim as the full results have it."""
    return ClaimView(
        id=claim.id,
        place=claim.place,
        says=claim.says,
        figure=_figure_of(claim),
        verdict=kept.verdict,
        verdicts=_verdicts_on(claim, others),
        runs=kept.runs,
        parts=[_kept_part(part) for part in kept.parts or (_whole(kept),)],
        full=_found(kept),
        causes=[_cause(tried) for tried in kept.causes],
        explanation=kept.explanation or (kept.why if kept.verdict == "open" else ""),
        unfinished=False,
    )


def _found(kept: PublishedClaim) -> str:
    """Say what the full results found: the verdict, the runs, and how many decide what is undecided."""
    runs = f", {kept.runs:,} runs" if kept.runs else ""
    needed = "" if kept.needed is None else f"; about {kept.needed:,} runs decide it"
    return f"{kept.verdict}{runs}{needed}"


def _figure_of(claim: Claim) -> str:
    return "" if claim.figure is None else str(claim.figure)


def _verdicts_on(claim: Claim, others: Mapping[str, Mapping[str, Verdict]]) -> dict[str, Verdict]:
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
    """Return a claim without parts as its only part."""
    return PublishedPart("", kept.verdict, kept.measured, kept.expected, kept.runs)


def _without_head(text: str, what: str) -> str:
    """Return words about a part without its name, which stands beside them."""
    return text.removeprefix(f"{what}: ")


def _picture(leaf: Check) -> Markup:
    """Draw each point of a part beside the range in which it should lie."""
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
    """Return what a point says by itself; none is contradicted in a part that is not."""
    alone = leaf.points[point]
    return "undecided" if alone == "contradicted" and not leaf.contradicted else alone


def _told(key: Any, reading: Reading, unit: str) -> str:
    """Write a point and its number."""
    place = label(key)
    return f"{place}: {estimate(reading.sample)} {unit}".strip(" :")


def _cause(tried: Tried) -> CauseView:
    """Return a row for the part as it is and one for each change, those first that move it for certain."""
    wanted = Range(0.0, float("inf"), (named(0.0, tried.unit), ""))
    lanes = [
        _lane(tried.margin, tried.verdict, tried.unit),
        *(_lane(trial.margin, trial.verdict, tried.unit) for trial in tried.trials),
    ]
    axis = Axis.over(lanes, wanted)
    says = "beyond what the claim takes"
    pictures = [strip([lane], wanted, axis, says=f"{lane.says} {says}", names=False) for lane in lanes]
    as_it_is = TrialView("nothing: as it is", "", certain=False, picture=pictures[0], verdict=tried.verdict)
    changes = [
        TrialView(trial.changed, trial.moved.signed(), trial.certain, picture, trial.verdict)
        for trial, picture in zip(tried.trials, pictures[1:], strict=True)
    ]
    return CauseView(what=tried.what, unit=tried.unit, trials=[as_it_is, *changes])


def _lane(margin: Mean, verdict: Verdict, unit: str) -> Lane:
    return Lane(margin.mean, margin.half_width or 0.0, verdict, f"{margin} {unit}".rstrip())
