"""Further runs for undecided claims, until they are decided or the budget is used up.

All claims are checked after the first runs. Undecided claims are checked again after further runs of the cases that
they read. Each such check is a look (an interim analysis). A decided claim keeps its verdict, and cases that only
decided claims read get no further runs.

The looks share an error of 5 % (`manypath.stats.looks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from manypath.papers.causes import Verified, verify
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.verdict import at_level
from manypath.stats.looks import Look

RunCases = Callable[[Iterable[Case], int], Mapping[Case, Runs]]
"""Runs cases with a number of replications. Stored runs are not computed again."""


def decide(
    claims: Sequence[Claim], evidence: Evidence, looks: Sequence[Look], run: RunCases, budget: float
) -> tuple[list[Verified], Evidence]:
    """Check claims after the first runs, and undecided claims again after further runs.

    Returns the claims, and the evidence with all runs, in which cases have different numbers of runs.

    Parameters
    ----------
    claims
        The claims.
    evidence
        The runs of the first look.
    looks
        The looks, as returned by `plan`.
    run
        Function that makes further runs.
    budget
        Limit of the processor time of all further runs in seconds, estimated from that of the first ones. In each look
        the claims with the cheapest runs are first.
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
    """Return the claims whose cases can have `runs` runs within the budget, these cases, and the cost in seconds."""
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
    """Return whether an undecided part got further runs. Parts that read curves may not: few runs are sampled."""
    pairs = zip(before.leaves(), after.leaves(), strict=True)
    return any(new.runs > old.runs for old, new in pairs if old.undecided)
