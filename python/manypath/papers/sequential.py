"""More runs for the claims that are undecided, until they are decided or the budget is spent.

All claims are looked at after the first runs. Those that are undecided are looked at again after twice as many runs of
the cases that they read, and so on. A claim that is decided keeps its verdict, and cases that only such claims read get
no more runs.

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
"""Runs cases so many times; what is stored is not run again."""


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
