"""The summary of `manypath papers`: a few lines for each paper, whatever the number of its claims and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from manypath.cli.output import cropped
from manypath.display import counted

if TYPE_CHECKING:
    from manypath.papers.causes import Verified
    from manypath.papers.comparison import ChangedVerdict, PublishedComparison
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.paper_evaluation import PaperEvaluation


def summary(evaluation: Evaluation, comparisons: Mapping[str, PublishedComparison]) -> Iterator[str]:
    """Yield the lines of the summary.

    Each paper has its verdicts, its findings, and what differs from its published results. A single paper also has a
    line for each claim, at most `MOST_CLAIMS`.
    """
    if len(evaluation.papers) == 1:
        (part,) = evaluation.papers
        yield from _claims(part.claims, comparisons.get(part.paper.name))
    for part in evaluation.papers:
        yield _verdicts(part)
        yield from _findings(part)
        if part.paper.name in comparisons:
            yield f"  {differences(comparisons[part.paper.name])}"


def differences(comparison: PublishedComparison) -> str:
    """Return as one line the claims with other verdicts than the published ones, and the number of differing points."""
    published = "the package's full results"
    if comparison.other_engine:
        published += f" of another engine, {comparison.other_engine}"
    differ = [*_changed(comparison.changed)]
    if comparison.differences:
        differ.append(f"{len(comparison.differences)} of {counted(comparison.points, 'point')} of the figures")
    if differ:
        return f"differs from {published}: {'; '.join(differ)}"
    compared = [
        *([counted(comparison.claims, "claim")] if comparison.claims else []),
        f"{counted(comparison.points, 'point')} of the figures",
    ]
    return f"agrees with {published}: {', '.join(compared)}"


def _verdicts(part: PaperEvaluation) -> str:
    """Return the counts of the verdicts on a paper, and the precision of its runs."""
    from manypath.papers.claim import facts_and_sentences
    from manypath.papers.verdict import tally

    paper = part.paper
    precision = f"{part.precision.name} precision" + (", preliminary" if part.preliminary and part.claims else "")
    figure = "" if part.figure is None else f", figure {part.figure}"
    told = tally(item.check.verdict for item in part.claims)
    if told:
        told = f"{facts_and_sentences([item.claim for item in part.claims])}: {told}"
    nothing = "a study of our own" if not paper.claims else "no claims"
    return f"{paper.name}{figure}: {told or nothing} ({precision})"


def _findings(part: PaperEvaluation) -> Iterator[str]:
    """Yield the findings of a whole paper."""
    if part.figure is None:
        yield from (f"  finding: {each.says}" for each in part.paper.findings)


def _claims(claims: Sequence[Verified], comparison: PublishedComparison | None) -> Iterator[str]:
    """Yield a line for each claim: its id, its verdict, a published verdict that differs, and its text, shortened.

    A line follows for each reason why some of them have no verdict.
    """
    published = {} if comparison is None else {each.claim: each.published for each in comparison.changed}
    for item in claims[:MOST_CLAIMS]:
        number = item.claim.id
        differs = f"(published: {published[number]}) " if number in published else ""
        yield cropped(f"{number:<9} {item.check.verdict:<12} {differs}{item.claim.says}")
    left = len(claims) - MOST_CLAIMS
    if left > 0:
        yield f"and {counted(left, 'further claim')}: --verbose"
    reasons: dict[str, list[str]] = {}
    for item in claims:
        if item.unsteady:
            reasons.setdefault(item.unsteady, []).append(item.claim.id)
    yield from (f"no verdict on {', '.join(ids)}: {why}" for why, ids in reasons.items())


def _changed(changed: Sequence[ChangedVerdict]) -> Iterator[str]:
    """Yield the claims with each pair of different verdicts, at most `MOST_NAMED` in total."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for each in changed[:MOST_NAMED]:
        pairs.setdefault((each.here, each.published), []).append(each.claim)
    for (here, published), names in pairs.items():
        yield f"{here} here, {published} published: {', '.join(names)}"
    left = len(changed) - MOST_NAMED
    if left > 0:
        yield f"and {counted(left, 'further claim')}: --verbose"


MOST_CLAIMS = 40
"""Largest number of claims of a single paper that have a line."""

MOST_NAMED = 12
"""Largest number of claims of a paper that are named because their verdicts differ."""
