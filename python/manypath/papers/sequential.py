"""More runs for the claims that are undecided, until they are decided or the budget is spent.

All claims are looked at after the first runs. Those that are undecided are looked at again after twice as many runs of
the cases that they read, and so on. A claim that is decided keeps its verdict, and cases that only such claims read get
no more runs.

A verdict that may come at any of several looks is wrong more often than a verdict at one look. So each look decides
with a share of the 5 %, and the shares add up to 5 % (Bonferroni's inequality). The bounds of Pocock, of O'Brien and
Fleming and of Lan and DeMets need fewer runs (C. Jennison and B. W. Turnbull, Group Sequential Methods with
Applications to Clinical Trials, 2000), but they assume means that are normal with a known variance, and the first looks
here have three to twenty runs. Bonferroni's inequality asks only that the test of each look keeps its level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from manypath.papers.causes import Verified, verify
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.paired import SIGNIFICANCE
from manypath.papers.verdict import at_level

RunCases = Callable[[Iterable[Case], int], Mapping[Case, Runs]]
"""Runs cases so many times; what is stored is not run again."""

FIRST_SHARE = 0.6
"""Part of the 5 % that the first look has: few runs need the most. The others have equal parts of what is left."""


@dataclass(frozen=True)
class Look:
    """One time at which claims are decided.

    Attributes
    ----------
    runs : int
        Runs of each case by then.
    level : float
        Largest p-value at which something counts as shown.
    """

    runs: int
    level: float


def plan(first: int, most: int) -> list[Look]:
    """Return the looks: after `first` runs, after twice as many, and so on up to `most`."""
    counts = [first]
    while counts[-1] < most:
        counts.append(min(2 * counts[-1], most))
    if len(counts) == 1:
        return [Look(first, SIGNIFICANCE)]
    rest = (1.0 - FIRST_SHARE) / (len(counts) - 1)
    return [Look(runs, SIGNIFICANCE * (rest if index else FIRST_SHARE)) for index, runs in enumerate(counts)]


def decide(
    claims: Sequence[Claim], evidence: Evidence, looks: Sequence[Look], run: RunCases, budget: float
) -> tuple[list[Verified], Evidence]:
    """Check claims after the first runs, and those that are undecided again after more runs.

    Returns the claims, and the evidence with all runs, in which cases have different numbers of runs.

    Parameters
    ----------
    claims
        The statements.
    evidence
        The runs of the first look.
    looks
        What `plan` returns.
    run
        Makes further runs.
    budget
        Processor time of all further runs in seconds, estimated from that of the first ones. Of the claims of one look,
        those whose runs cost least come first.
    """
    first, *others = looks
    with at_level(first.level):
        found = [verify(claim, evidence) for claim in claims]
    grown, left = evidence, budget
    growing = {item.claim.id for item in found}
    for look in others:
        open_claims = [item for item in found if item.check.undecided and item.claim.id in growing]
        chosen, cases, cost = _affordable(open_claims, grown, look.runs, left)
        if not chosen:
            break
        left -= cost
        grown = grown.with_runs(run(cases, look.runs))
        for index, item in enumerate(found):
            if item.claim.id in chosen:
                with at_level(look.level):
                    found[index] = verify(item.claim, grown.first(look.runs))
                if not _has_more(item.check, found[index].check):
                    growing.discard(item.claim.id)
    return found, grown


def _affordable(
    items: Iterable[Verified], evidence: Evidence, runs: int, budget: float
) -> tuple[set[str], set[Case], float]:
    """Return the claims that can have so many runs, the cases that they read, and what the new runs cost."""
    chosen: set[str] = set()
    cases: set[Case] = set()
    spent = 0.0
    costs = {item.claim.id: {case: evidence.cost(case, runs) for case in item.read} for item in items}
    for name in sorted(costs, key=lambda name: sum(costs[name].values())):
        more = sum(cost for case, cost in costs[name].items() if case not in cases)
        if costs[name] and spent + more <= budget:
            spent += more
            chosen.add(name)
            cases |= costs[name].keys()
    return chosen, cases, spent


def _has_more(before: Check, after: Check) -> bool:
    """Tell whether some part that was undecided has more runs than before: windows are sampled in some runs alone."""
    pairs = zip(before.leaves(), after.leaves(), strict=True)
    return any(new.runs > old.runs for old, new in pairs if old.undecided)
