"""The table of cases whose window has two regimes, for the page of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manypath.papers.windows import changing_cases

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation

HEAD = ("case", "flow", "part of the window", "in it, Mbit/s", "in the rest, Mbit/s", "claims that average over it")
"""Columns of the table."""


def regime_rows(part: PaperEvaluation) -> list[tuple[str, ...]]:
    """Return a row for each case of a paper that changes within the window of full precision."""
    if part.unfinished is not None:
        return []
    return [
        (
            str(case),
            each.flow,
            each.part,
            f"{each.within:.3g}",
            f"{each.rest:.3g}",
            ", ".join(item.claim.id for item in part.claims if case in item.averaged) or "–",
        )
        for case, each in changing_cases(part.paper).items()
    ]
