"""The columns of verdicts on a page: of the local runs, of the published full results, and over several settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from manypath.papers.published import load
from manypath.report.open_settings import over_of

if TYPE_CHECKING:
    from manypath.papers.open_settings.kept import KeptOver
    from manypath.papers.paper import Paper
    from manypath.papers.paper_evaluation import PaperEvaluation

HERE = "as the text says"
"""Column of the local runs, with the settings of the paper's text."""

FULL = "as the text says, full results"
"""Column of the published full results."""

PLAIN = "plain setting"
"""Column of the local runs of a paper with open settings."""

PLAIN_FULL = "plain setting, full results"
"""Column of the published full results of a paper with open settings."""

OVER = "all plausible settings"
"""Column of the verdicts over what the text leaves open."""


def columns_of(part: PaperEvaluation) -> dict[str, Mapping[str, str]]:
    """Return the verdicts on the claims of a paper by column and claim.

    If the evaluation is finished, the first column is `HERE`.

    Raises
    ------
    UserError
        If a file in the folder of the paper is damaged.
    """
    columns: dict[str, Mapping[str, str]] = {}
    if part.unfinished is None:
        name = PLAIN if part.paper.open_settings else HERE
        columns[name] = {item.claim.id: item.check.verdict for item in part.claims}
    full = load(part.paper.name)
    if full is not None:
        columns |= full_column(part.paper, {number: claim.verdict for number, claim in full.claims.items()})
    return columns | over_settings(over_of(part, full))


def full_column(paper: Paper, verdicts: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    """Return the column of published full results by its name."""
    return {PLAIN_FULL if paper.open_settings else FULL: verdicts}


def over_settings(over: KeptOver | None) -> dict[str, Mapping[str, str]]:
    """Return the column over the open settings by its name, if they were run."""
    return {} if over is None else {OVER: {number: claim.verdict for number, claim in over.claims.items()}}


def counts_of(verdicts: Mapping[str, str]) -> dict[str, int]:
    """Count the verdicts of a column."""
    return dict(Counter(verdicts.values()))
