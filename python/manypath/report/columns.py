"""The columns of verdicts on a page: what the runs at hand say, and what is kept beside the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from manypath.papers import NAMES
from manypath.papers.published import load
from manypath.papers.reconstruction.finding import finding
from manypath.papers.reconstruction.result import kept_result
from manypath.papers.verdict import Verdict

if TYPE_CHECKING:
    from manypath.papers.evaluation import PaperEvaluation

HERE = "as the text says"
"""The column of the runs at hand, with every setting as the paper describes it."""

FULL = "as the text says, full results"
"""The column of the full results that travel with the package."""

RECONSTRUCTED = "as reconstructed"
"""The column of the settings that a reconstruction found."""


def columns_of(part: PaperEvaluation) -> dict[str, Mapping[str, Verdict]]:
    """Return the verdicts on the claims of a paper by column, and in each column by claim.

    `HERE` is the first, as soon as the paper has been run to its end.

    Raises
    ------
    UserError
        If a file that is kept beside the paper is damaged.
    """
    paper = part.paper.name
    columns: dict[str, Mapping[str, Verdict]] = {}
    if part.unfinished is None:
        columns[HERE] = {item.claim.id: item.check.verdict for item in part.claims}
    full = load(paper)
    if full is not None:
        columns[FULL] = {number: claim.verdict for number, claim in full.claims.items()}
    return {**columns, **reconstructed(paper)}


def reconstructed(paper: str) -> dict[str, Mapping[str, Verdict]]:
    """Return the column of a reconstruction, by its name; none where there is no reconstruction."""
    found = kept_result(paper) if paper in NAMES else None
    return {} if found is None else {RECONSTRUCTED: {claim.id: claim.reconstructed for claim in found.claims}}


def counts_of(verdicts: Mapping[str, Verdict]) -> dict[str, int]:
    """Count the verdicts of a column."""
    return dict(Counter(verdicts.values()))


def finding_of(paper: str) -> str:
    """Return what the reconstruction of a paper found, in three sentences; empty where there is none."""
    found = kept_result(paper) if paper in NAMES else None
    return "" if found is None else finding(found)
