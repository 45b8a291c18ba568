"""Claims that average over a window with two regimes: their verdict in each half of it.

A case with the window of full precision changes if one of its flows has another rate in a part of the window than in
the rest (`manypath.papers.steadiness`). A claim that averages over such a case is checked in each half of the window,
too. It keeps its verdict if it has the same in both halves. Otherwise it is undecided: the mean is that of no regime.

Window curves show the course of a run, so a claim that reads only curves of a case is not affected. Neither is a case
whose scenario itself changes, by events of its links, a trace, a late start, or an application that pauses or ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manypath.papers import NAMES, STUDIES
from manypath.papers.causes import Verified, verify
from manypath.papers.evidence import Case, Evidence
from manypath.papers.guard import without_verdict
from manypath.papers.runner import Runner
from manypath.papers.switch import Switch
from manypath.papers.windows import ChangingCase, changing_cases, is_shorter, unchecked
from manypath.scenario import Scenario


def by_halves(items: Sequence[Verified], evidence: Evidence, runner: Runner) -> list[Verified]:
    """Return claims with their verdicts in both halves of changing windows.

    Claims that average over no changing case are returned unchanged, as are those of a paper outside of the package.
    Shorter windows of quick precision have a guard of their own (`manypath.papers.guard`).

    Parameters
    ----------
    items
        The claims with their verdicts from whole windows.
    evidence
        Their runs, including those added for undecided claims.
    runner
        The runner of the paper.
    """
    paper, precision = runner.paper, runner.precision
    if paper.name not in (*NAMES, *STUDIES):
        return list(items)
    changing = changing_cases(paper)
    averaged = {case for item in items for case in item.averaged}
    whole = {case for case in averaged if not is_shorter(paper, precision, case)}
    without = unchecked(paper, {case.experiment for case in whole})
    found: list[Verified] = []
    for item in items:
        missing = sorted({case.experiment for case in item.averaged & whole} & without)
        read = {case: why for case, why in changing.items() if case in item.averaged & whole}
        if missing:
            again = f"manypath papers {paper.name} --check-warmup"
            found.append(without_verdict(item, [f"{name} was not checked for regimes: {again}" for name in missing]))
        elif read and item.check.verdict in ("holds", "contradicted"):
            found.append(_by_halves(item, read, evidence, runner))
        else:
            found.append(item)
    return found


def _by_halves(item: Verified, read: Mapping[Case, ChangingCase], evidence: Evidence, runner: Runner) -> Verified:
    """Check one claim in both halves of the windows of changing cases, with as many runs as it has."""
    requests = dict.fromkeys(HALVES, tuple(read))
    runs = runner.switched(requests, f"{item.claim.id}, halves of windows", evidence.fewest(read))
    both = evidence.along_with(runs)
    first, second = (verify(item.claim, both.under(half.name)).check.verdict for half in HALVES)
    item = replace(item, halves=(first, second))
    if first == second == item.check.verdict:
        return item
    case, why = next(iter(read.items()))
    more = f" (and {len(read) - 1} further cases)" if len(read) > 1 else ""
    return without_verdict(
        item,
        [
            f"the mean is over two regimes: in {case}{more} {why}. In the first half of the windows the claim is: "
            f"{first}; in the second: {second}; in the whole: {item.check.verdict}"
        ],
    )


def _first_half(scenario: Scenario) -> Scenario:
    return scenario.but(measure=f"{scenario.measure // 2} ns")


def _second_half(scenario: Scenario) -> Scenario:
    first = scenario.measure // 2
    return scenario.but(warmup=f"{scenario.warmup + first} ns", measure=f"{scenario.measure - first} ns")


HALVES = (
    Switch("first half", "only the first half of the window", _first_half),
    Switch("second half", "only the second half of the window", _second_half),
)
"""The halves of a window, as changes of a scenario."""
