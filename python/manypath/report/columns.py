"""The columns of verdicts on a page: from the local runs, the published full results and the reconstruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from manypath.papers import NAMES
from manypath.papers.published import load
from manypath.papers.reconstruction.result import kept_result
from manypath.papers.verdict import Verdict

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation

HERE = "as the text says"
"""Column of the local runs, with the settings of the paper's text."""

FULL = "as the text says, full results"
"""Column of the published full results."""

RECONSTRUCTED = "as reconstructed"
"""Column of the reconstructed settings."""


def columns_of(part: PaperEvaluation) -> dict[str, Mapping[str, Verdict]]:
    """Return the verdicts on the claims of a paper by column and claim.

    If the evaluation is finished, the first column is `HERE`.

    Raises
    ------
    UserError
        If a file in the folder of the paper is damaged.
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
    """Return the column of the reconstruction by its name; an empty mapping without a reconstruction."""
    found = kept_result(paper) if paper in NAMES else None
    return {} if found is None else {RECONSTRUCTED: {claim.id: claim.reconstructed for claim in found.claims}}


def counts_of(verdicts: Mapping[str, Verdict]) -> dict[str, int]:
    """Count the verdicts of a column."""
    return dict(Counter(verdicts.values()))
