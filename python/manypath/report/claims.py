"""What the card of a claim shows: a row for each part, and a table of experiments where a part does not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from manypath.papers.causes import Effect, Verified, effects_on, moved, proven, slack_at
from manypath.papers.check import Check
from manypath.papers.paired import estimate
from manypath.papers.predicates import label
from manypath.papers.reading import Reading
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
    """The card of a claim; `verdicts` are those of the other columns of its page by their names."""

    id: str
    place: str
    says: str
    figure: str
    verdict: Verdict
    verdicts: Mapping[str, Verdict]
    runs: int
    parts: list[PartView]
    causes: list[CauseView]
    explanation: str
    unfinished: bool


def claims_of(part: PaperEvaluation, others: Mapping[str, Mapping[str, Verdict]]) -> list[ClaimView]:
    """Return the cards of all claims of a paper.

    Parameters
    ----------
    part
        What became of the paper.
    others
        By the name of a column, verdicts that were found in another way, by claim.
    """
    return [
        ClaimView(
            id=item.claim.id,
            place=item.claim.place,
            says=item.claim.says,
            figure="" if item.claim.figure is None else str(item.claim.figure),
            verdict=item.check.verdict,
            verdicts={name: verdicts[item.claim.id] for name, verdicts in others.items() if item.claim.id in verdicts},
            runs=item.check.runs,
            parts=[_part(leaf) for leaf in item.check.leaves()],
            causes=_causes(item),
            # A claim that nothing can decide says why itself.
            explanation=item.explanation or (item.check.why if item.check.verdict == "open" else ""),
            unfinished=item.unfinished,
        )
        for item in part.claims
    ]


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


def _causes(item: Verified) -> list[CauseView]:
    several = len(item.check.leaves()) > 1
    return [
        CauseView(what=leaf.what if several else "", unit=leaf.unit, trials=_trials(leaf, effects))
        for leaf, effects in effects_on(item)
        if effects
    ]


def _trials(leaf: Check, effects: Sequence[Effect]) -> list[TrialView]:
    """Return a row for the part as it is and one for each change, those first that move it for certain."""
    certain = proven(list(effects))
    switches = {effect.switch for effect in certain}
    ordered = [*certain, *(effect for effect in effects if effect.switch not in switches)]
    wanted = Range(0.0, float("inf"), (named(0.0, leaf.unit), ""))
    lanes = [
        _lane(slack_at(leaf.missed, leaf), leaf.verdict, leaf.unit),
        *(_lane(effect.slack, effect.verdict, leaf.unit) for effect in ordered),
    ]
    axis = Axis.over(lanes, wanted)
    says = "beyond what the claim takes"
    pictures = [strip([lane], wanted, axis, says=f"{lane.says} {says}", names=False) for lane in lanes]
    as_it_is = TrialView("nothing: as it is", "", certain=False, picture=pictures[0], verdict=leaf.verdict)
    return [
        as_it_is,
        *(
            TrialView(effect.switch.says, moved(effect, ""), effect.switch in switches, picture, effect.verdict)
            for effect, picture in zip(ordered, pictures[1:], strict=True)
        ),
    ]


def _lane(slack: Any, verdict: Verdict, unit: str) -> Lane:
    reading = Reading(slack)
    return Lane(reading.mean, reading.half_width, verdict, f"{estimate(slack)} {unit}".rstrip())
