"""Compares local runs with the published ones, at each point of the figures, and the verdicts.

If scenario, window, seed and engine are equal, the digests of the runs must be equal. Otherwise Hsu's test compares the
means. The test assumes independent samples. Local runs with the same seed and a shorter window are correlated with the
published ones. Differences are then smaller than the test assumes, and the test errs towards agreement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from manypath.papers.evidence import Case, Runs, goodput_in
from manypath.papers.mean import Mean
from manypath.papers.paired import holm
from manypath.papers.published import Published, load
from manypath.papers.published_rows import PublishedCase
from manypath.papers.publishing import digest_of
from manypath.papers.verdict import Verdict
from manypath.stats import student
from manypath.stats.looks import SIGNIFICANCE

if TYPE_CHECKING:
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.experiment import Precision
    from manypath.papers.paper_evaluation import PaperEvaluation


@dataclass(frozen=True)
class Difference:
    """A point at which the local and the published mean differ significantly.

    Attributes
    ----------
    case : Case
        The point.
    flow : str
        The flow.
    here, published : Mean
        Local and published mean of its goodput, Mbit/s.
    p_value : float
        P-value of Hsu's test with Holm's correction over all points of the paper; 0 if equal runs have different
        digests.
    """

    case: Case
    flow: str
    here: Mean
    published: Mean
    p_value: float

    def __str__(self) -> str:
        return f"{self.flow} of {self.case}: {_told(self.here)} here, {_told(self.published)} published"


class ChangedVerdict(NamedTuple):
    """A claim with another verdict than the published one: its id and both verdicts."""

    claim: str
    here: Verdict
    published: Verdict

    @property
    def opposite(self) -> bool:
        """Whether one verdict is `holds` and the other one `contradicted`."""
        return {self.here, self.published} == {"holds", "contradicted"}


@dataclass(frozen=True)
class PublishedComparison:
    """Comparison of the local and the published points of figures and verdicts of one paper.

    A point is the goodput of one flow in one case.

    Attributes
    ----------
    points : int
        Points with local and published runs.
    same : int
        Points whose runs are bit-identical to the published ones.
    differences : tuple of Difference
        Points that differ, the smallest p-value first.
    untested : int
        Points without a test, because a sample has a single run or both samples have no spread.
    claims : int
        Claims with a local and a published verdict.
    same_verdicts : int
        Claims with equal verdicts.
    opposed : tuple of str
        Ids of claims with the verdicts `holds` and `contradicted`.
    changed : tuple of ChangedVerdict
        Claims with another verdict than the published one; those with the opposite verdict are first.
    other_engine : str
        Version of the engine of the published results; empty if it is that of the local ones.
    """

    points: int
    same: int
    differences: tuple[Difference, ...]
    untested: int
    claims: int = 0
    same_verdicts: int = 0
    opposed: tuple[str, ...] = ()
    changed: tuple[ChangedVerdict, ...] = ()
    other_engine: str = ""

    @property
    def agree(self) -> int:
        """Points that agree: bit-identical runs, or no significant difference."""
        return self.points - len(self.differences) - self.untested

    def __str__(self) -> str:
        told = f"{self.agree} of {self.points} points of the figures agree with the published ones"
        same = f", {self.same} of them bit by bit" if self.same else ""
        differ = f"; {len(self.differences)} differ" if self.differences else ""
        untested = f"; {self.untested} cannot be tested: they have no spread" if self.untested else ""
        return told + same + differ + untested

    def of_verdicts(self) -> str:
        """Return as text how many claims have the published verdict, and which have the opposite one."""
        told = f"{self.same_verdicts} of {self.claims} claims have the published verdict"
        left = self.claims - self.same_verdicts - len(self.opposed)
        opposed = f"; the opposite is shown for {', '.join(self.opposed)}" if self.opposed else ""
        others = f"; {left} {'has' if left == 1 else 'have'} an undecided or open verdict" if left else ""
        return told + opposed + others


def compared(evaluation: Evaluation) -> dict[str, PublishedComparison]:
    """Compare every paper of an evaluation that has published results, by name."""
    tables = {part.paper.name: load(part.paper.name) for part in evaluation.papers}
    return {
        part.paper.name: compare(part, published)
        for part in evaluation.papers
        if (published := tables[part.paper.name]) is not None
    }


def compare(part: PaperEvaluation, published: Published) -> PublishedComparison:
    """Compare the runs of a paper with its published results."""
    paper = part.paper
    drawn = {name for figure in paper.figures for name in figure.experiments}
    drawn |= {experiment.name for experiment in paper.experiments.all() if experiment.figure is not None}
    points, same, untested = 0, 0, 0
    means: dict[tuple[Case, str], tuple[Mean, Mean]] = {}
    p_values: dict[tuple[Case, str], float] = {}
    for case in part.evidence.cases():
        there = published.cases.get(case)
        if there is None or case.experiment not in drawn:
            continue
        runs = part.evidence.runs(case)
        here = _means(runs, there)
        points += len(here)
        identical = _is_identical(runs, there)
        if identical:
            same += len(here)
            continue
        must_be_equal = identical is False and _runs_the_same(part, case, published)
        for flow, mean in here.items():
            p_value = 0.0 if must_be_equal else p_unequal(mean, len(runs.outcomes), there.goodput[flow], there.runs)
            means[case, flow] = mean, there.goodput[flow]
            if p_value is None:
                untested += 1
            else:
                p_values[case, flow] = p_value
    corrected = holm(p_values)
    found = [
        Difference(case, flow, *means[case, flow], corrected[case, flow])
        for case, flow in sorted(corrected, key=lambda key: (p_values[key], str(key)))
        if corrected[case, flow] < SIGNIFICANCE
    ]
    claims, changed = _changed(part, published)
    return PublishedComparison(
        points=points,
        same=same,
        differences=tuple(found),
        untested=untested,
        claims=claims,
        same_verdicts=claims - len(changed),
        opposed=tuple(pair.claim for pair in changed if pair.opposite),
        changed=tuple(changed),
        other_engine="" if part.engine == published.engine else published.engine,
    )


def _changed(part: PaperEvaluation, published: Published) -> tuple[int, list[ChangedVerdict]]:
    """Return the number of claims with two verdicts, and the claims with different ones, opposite ones first."""
    both = [item for item in part.claims if item.claim.id in published.claims]
    pairs = [
        ChangedVerdict(item.claim.id, item.check.verdict, published.claims[item.claim.id].verdict) for item in both
    ]
    changed = [pair for pair in pairs if pair.here != pair.published]
    return len(pairs), sorted(changed, key=lambda pair: not pair.opposite)


def p_unequal(one: Mean, runs: int, other: Mean, others: int) -> float | None:
    """Return the two-sided p-value of Hsu's test that two means are equal.

    None if a sample has a single run, or if both samples have no spread.

    The statistic is Welch's, and the degrees of freedom are those of the smaller sample. Welch's degrees of freedom are
    estimated from few runs: with 5 against 20 runs at 20 points they gave a false difference in 11 % of 400 generated
    pairs instead of 5 %. With those of the smaller sample the test keeps its level (M. R. Mickey and M. B. Brown,
    Bounds on the Distribution Functions of the Behrens-Fisher Statistic, The Annals of Mathematical Statistics 37(3),
    1966).

    Parameters
    ----------
    one, other
        The means with their intervals.
    runs, others
        Replications of both samples.
    """
    first, second = _error(one, runs), _error(other, others)
    if first is None or second is None or first == second == 0.0:
        return None
    distance = abs(one.mean - other.mean) / math.hypot(first, second)
    return 2.0 * float(student.below(min(runs, others) - 1, -distance))


def _error(mean: Mean, runs: int) -> float | None:
    """Return the standard error of a mean from its 95 % Student-t interval; None for a single run."""
    if mean.half_width is None:
        return None
    return mean.half_width / student.quantile(runs - 1, 0.975)


def _is_identical(runs: Runs, there: PublishedCase) -> bool | None:
    """Return whether the first local runs are bit-identical to published ones; None if there are too few to compare."""
    known = [(there.runs, there.digest), *([there.first] if there.first else [])]
    for count, digest in known:
        if len(runs.outcomes) >= count:
            return digest_of(runs.outcomes[:count]) == digest
    return None


def _runs_the_same(part: PaperEvaluation, case: Case, published: Published) -> bool:
    """Return whether engine, seed, scenario and window of a case are those of the published results."""
    return (
        (part.engine, part.seed) == (published.engine, published.seed)
        and _is_published(part.paper.full, published)
        and part.paper.experiments.scenario(case, part.precision)
        == part.paper.experiments.scenario(case, part.paper.full)
    )


def _is_published(full: Precision, published: Published) -> bool:
    """Return whether full precision has the measurement window of the published results."""
    return (full.warmup, full.measure) == (published.warmup, published.measure)


def _means(runs: Runs, there: PublishedCase) -> dict[str, Mean]:
    found: dict[str, Mean] = {}
    for flow in there.goodput:
        if all(flow in outcome["flows"] for outcome in runs.outcomes):
            found[flow] = Mean.of(goodput_in(runs.outcomes, flow))
    return found


def _told(mean: Mean) -> str:
    return f"{mean.mean:.4g}" if mean.half_width is None else f"{mean.mean:.4g} ± {mean.half_width:.2g}"
