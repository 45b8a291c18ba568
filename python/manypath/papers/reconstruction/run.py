"""Reconstructs papers: runs settings, fits them to halves of the claims, and tests them on the other half."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from manypath import _native
from manypath.campaign.progress import Progress
from manypath.papers.budget import budget_of
from manypath.papers.paper import Paper
from manypath.papers.reconstruction.factors import AS_STATED, Combination, ordered, penalty
from manypath.papers.reconstruction.fit import Certainty, certainty
from manypath.papers.reconstruction.halves import HalfName, Halves, halves_of
from manypath.papers.reconstruction.result import (
    ClaimResult,
    FactorResult,
    Half,
    Reconstruction,
    Scores,
    Transfer,
)
from manypath.papers.reconstruction.search import WHOLE, design_of, search
from manypath.papers.reconstruction.shared import GROUPS
from manypath.papers.reconstruction.trials import Trials, decided
from manypath.papers.runner import SEED, Runner

RIVALS = 10
"""Largest number of rivals in a result."""


def reconstruct(
    papers: Sequence[Paper],
    *,
    store: str | Path | None = "runs",
    progress: bool | Progress = True,
    workers: int | None = None,
) -> list[Reconstruction]:
    """Reconstruct papers. The settings of papers of one group are tested on each other.

    Parameters
    ----------
    papers
        Papers that have factors.
    store
        Folder of results. Stored runs are not computed again. None stores nothing.
    progress
        Whether to show progress, or the display that shows it.
    workers
        Number of threads; all cores if None.
    """
    results: dict[str, Reconstruction] = {}
    trials: dict[str, Trials] = {}
    for paper in papers:
        runner = Runner(paper, paper.reconstructed or paper.mutated, store, progress, workers)
        trials[paper.name] = Trials(runner)
        results[paper.name] = reconstruction_of(trials[paper.name])
    return [replace(result, transfers=transfers_of(result, trials)) for result in results.values()]


def reconstruction_of(trials: Trials) -> Reconstruction:
    """Reconstruct one paper by its own claims, without tests on other papers."""
    runner, paper = trials.runner, trials.runner.paper
    halves = halves_of(claim for claim in paper.claims if claim.id in trials.claims)
    best = search(trials, halves)
    table, found = trials.table, best[WHOLE]
    sure = certainty(table, trials.claims, found)
    return Reconstruction(
        paper=paper.name,
        tag=paper.tag,
        engine=_native.engine_version(),
        seed=SEED,
        replications=runner.precision.replications,
        settings=len(table.credits),
        runs=trials.runs,
        digest=trials.digest,
        factors=_factors(paper, sure),
        found=ordered(paper.factors, found),
        penalty=penalty(paper.factors, found),
        scores=scores_of(trials, found, trials.claims),
        rivals=tuple(ordered(paper.factors, rival) for rival in sure.rivals[:RIVALS]),
        together=sure.together,
        halves=tuple(
            Half(
                name=name,
                claims=claims,
                found=ordered(paper.factors, best[name]),
                fitted=scores_of(trials, best[name], claims),
                untouched=scores_of(trials, best[name], halves[OTHER[name]]),
            )
            for name, claims in halves.items()
        ),
        transfers=(),
        claims=_claims(trials, found, halves),
    )


OTHER: Mapping[HalfName, HalfName] = {"A": "B", "B": "A"}
"""The other half of each half."""


def scores_of(trials: Trials, setting: Combination, claims: Iterable[str]) -> Scores:
    """Return the scores of some claims under a setting that was run, and under the settings of the design."""
    scores = trials.table.scores(claims)
    design = np.array([scores[each] for each in design_of(trials)])
    return Scores(
        stated=scores[AS_STATED],
        found=scores[setting],
        random=float(design.mean()),
        low=float(design.min()),
        high=float(design.max()),
    )


def _factors(paper: Paper, sure: Certainty) -> tuple[FactorResult, ...]:
    return tuple(
        FactorResult(
            name=factor.name,
            stated=factor.stated,
            changed=factor.switch.says,
            deviation=factor.deviation,
            share=sure.shares[factor.name],
            told=sure.told(factor.name),
        )
        for factor in paper.factors
    )


def _claims(trials: Trials, found: Combination, halves: Halves) -> tuple[ClaimResult, ...]:
    """Decide every claim under the stated and the reconstructed settings, both at full precision."""
    runner = replace(trials.runner, precision=trials.runner.paper.full)
    (stated, _), (changed, evidence) = decided(runner, AS_STATED), decided(runner, found)
    budgets = [budget_of(item, evidence) for item in changed]
    earned = trials.table.credits
    half: dict[str, HalfName] = {number: name for name, claims in halves.items() for number in claims}
    return tuple(
        ClaimResult(
            id=before.claim.id,
            half=half.get(before.claim.id, ""),
            stated=before.check.verdict,
            reconstructed=after.check.verdict,
            stated_credit=earned[AS_STATED].get(before.claim.id),
            reconstructed_credit=earned[found].get(before.claim.id),
            needed=budget.runs,
            needed_seconds=budget.seconds,
        )
        for before, after, budget in zip(stated, changed, budgets, strict=True)
    )


def transfers_of(result: Reconstruction, trials: dict[str, Trials]) -> tuple[Transfer, ...]:
    """Test the reconstructed settings of a paper on the other papers of its group that were reconstructed, too."""
    group = next((names for names in GROUPS if result.paper in names), ())
    others = [name for name in group if name != result.paper and name in trials]
    return tuple(_transfer(result, trials[name]) for name in others)


def _transfer(result: Reconstruction, other: Trials) -> Transfer:
    """Run another paper with the reconstructed settings that it shares. Its other factors stay as stated."""
    carried = frozenset(result.found) & {factor.name for factor in other.factors}
    other.run([carried])
    scores = scores_of(other, carried, other.claims)
    return Transfer(to=other.runner.paper.name, carried=ordered(other.factors, carried), scores=scores)
