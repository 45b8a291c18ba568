"""The table of scores of a reconstruction, for the command line and the report."""

from __future__ import annotations

from typing import NamedTuple

from manypath.papers.reconstruction.result import Reconstruction, Scores


class ScoreRow(NamedTuple):
    """Names of changed settings, the claims of the fit, the scored claims or paper, and three mean credits as text.

    `random` has the mean, the smallest and the largest score of the settings of the design.
    """

    settings: tuple[str, ...]
    fitted: str
    scored: str
    found: str
    stated: str
    random: str


def score_table(result: Reconstruction) -> list[ScoreRow]:
    """Return the scores of the fits to all claims and to each half, and those on other papers."""
    rows = [_row(result.found, "all claims", "all claims", result.scores)]
    for half in result.halves:
        rows.append(_row(half.found, f"half {half.name}", f"half {half.name}", half.fitted))
        rows.append(_row(half.found, f"half {half.name}", "the other half", half.untouched))
    rows += [_row(each.carried, "all claims", each.to, each.scores) for each in result.transfers]
    return rows


def _row(settings: tuple[str, ...], fitted: str, scored: str, scores: Scores) -> ScoreRow:
    random = f"{scores.random:.3f} ({scores.low:.3f} to {scores.high:.3f})"
    return ScoreRow(settings, fitted, scored, f"{scores.found:.3f}", f"{scores.stated:.3f}", random)
