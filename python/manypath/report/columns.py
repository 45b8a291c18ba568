"""The columns of verdicts on a page: what the runs at hand say, and what was found in other ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manypath.papers.verdict import Verdict

if TYPE_CHECKING:
    from manypath.papers.evaluation import PaperEvaluation

HERE = "as the text says"
"""The column of the runs at hand, with every setting as the paper describes it."""


def columns_of(part: PaperEvaluation) -> dict[str, Mapping[str, Verdict]]:
    """Return the verdicts on the claims of a paper by column, and in each column by claim; `HERE` is the first."""
    here: dict[str, Verdict] = {item.claim.id: item.check.verdict for item in part.claims}
    return {HERE: here}
