"""The guard of quick verdicts: a claim that reads an unsteady quick window is undecided.

A quick verdict needs a quick window that measures what the window of full precision measures: both are equal, or the
quick one is shown to be steady (`manypath.papers.steadiness`). The check compares goodput only, so an experiment with
window curves needs equal windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manypath.papers import NAMES, STUDIES
from manypath.papers.causes import Verified
from manypath.papers.check import Check, joined_measured
from manypath.papers.evidence import Case
from manypath.papers.experiment import Precision
from manypath.papers.paper import Paper
from manypath.papers.windows import CheckedExperiment, is_shorter, load, scenarios_of


def guarded(items: Sequence[Verified], paper: Paper, precision: Precision) -> list[Verified]:
    """Return claims without the verdicts that an unsteady window of this precision does not allow.

    A paper outside of the package has no table, and its verdicts are returned unchanged.
    """
    table = load(paper.name)
    if table is None and paper.name not in (*NAMES, *STUDIES):
        return list(items)
    found: dict[Case, str] = {}
    rows = {} if table is None else table.quick
    current = {name: row for name, row in rows.items() if row.scenarios == scenarios_of(paper, name)}
    for case in {case for item in items for case in item.read}:
        found[case] = _why(paper, precision, case, current)
    return [without_verdict(item, sorted({found[case] for case in item.read} - {""})) for item in items]


def _why(paper: Paper, precision: Precision, case: Case, table: Mapping[str, CheckedExperiment]) -> str:
    """Return why a case has no verdict at a precision; empty if there is no reason."""
    name = case.experiment
    if not is_shorter(paper, precision, case):
        return ""
    if paper.experiments[name].series is not None:
        return f"the quick window of {name} differs from the full one, and its curves have no steady mean"
    if name not in table:
        return f"the quick window of {name} was not checked: manypath papers {paper.name} --check-warmup"
    return table[name].why(case)


def without_verdict(item: Verified, reasons: Sequence[str]) -> Verified:
    """Return a claim as undecided for these reasons; unchanged without reasons, or if it is open."""
    if not reasons or item.check.verdict == "open":
        return item
    check, why = item.check, "; ".join(reasons)
    measured = joined_measured((leaf.measured, "holds") for leaf in check.leaves())
    return replace(item, check=Check("undecided", measured, check.expected, check.runs, why), unsteady=why)
