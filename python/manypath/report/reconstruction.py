"""The reconstruction of a paper on its page: the finding, the settings, and their scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from manypath import papers
from manypath.papers import NAMES
from manypath.papers.reconstruction.factors import PENALTY
from manypath.papers.reconstruction.finding import finding
from manypath.papers.reconstruction.result import FactorResult, Reconstruction, kept_result
from manypath.papers.reconstruction.score_table import ScoreRow, score_table


@dataclass(frozen=True)
class FactorView:
    """One setting: its two levels, its relation to the text, the share of fits that change it, the identified level."""

    stated: str
    changed: str
    relation: str
    share: str
    identified: str


@dataclass(frozen=True)
class ReconstructionView:
    """The section about a reconstruction.

    `exceptions` are levels of the text that the runs as the text says do not have. `together` has groups of settings
    that the claims distinguish only jointly, `rivals` other settings that fit as well.
    """

    finding: str
    factors: list[FactorView]
    scores: list[ScoreRow]
    exceptions: list[str]
    together: list[str]
    rivals: list[str]
    facts: str


def reconstruction_of(paper: str) -> ReconstructionView | None:
    """Return the section about the published reconstruction of a paper; None without one.

    Raises
    ------
    UserError
        If the file in the folder of the paper is damaged.
    """
    result = kept_result(paper) if paper in NAMES else None
    if result is None:
        return None
    return ReconstructionView(
        finding=finding(result),
        factors=[_factor(factor) for factor in result.factors],
        scores=_scores(result),
        exceptions=[f"{each.stated}; text: {each.changed}" for each in result.factors if each.deviation == "stated"],
        together=[_named(result, group) for group in result.together],
        rivals=[_named(result, rival) for rival in result.rivals],
        facts=f"{result.settings} settings, {result.runs:,} runs, {result.replications} of each case; "
        f"seed {result.seed}, engine {result.engine}, digest {result.digest[:16]}",
    )


RELATIONS = {
    "stated": "the text states the changed level",
    "silent": "the text does not state it",
    "contradicts": "the text states otherwise",
}
"""Words for the relation of the changed level to the text."""


def _factor(factor: FactorResult) -> FactorView:
    return FactorView(
        stated=factor.stated,
        changed=factor.changed,
        relation=f"{RELATIONS[factor.deviation]} (penalty {PENALTY[factor.deviation]:g})",
        share=f"{factor.share:.2f}",
        identified={"not told": "not identified"}.get(factor.told, factor.told),
    )


def _scores(result: Reconstruction) -> list[ScoreRow]:
    """Return the table of scores with descriptions of settings and tags of papers."""
    return [
        row._replace(
            settings=tuple(result.factor(name).changed for name in row.settings),
            scored=f"[{papers.load(row.scored).tag}]" if row.scored in NAMES else row.scored,
        )
        for row in score_table(result)
    ]


def _named(result: Reconstruction, names: Iterable[str]) -> str:
    """Return the changed levels of settings as text."""
    return "; ".join(result.factor(name).changed for name in names)
