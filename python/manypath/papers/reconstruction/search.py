"""Which settings are run: a design, what a model of it proposes, and the best of these with one change less."""

from __future__ import annotations

from manypath.papers.reconstruction.design import combinations, fold_over
from manypath.papers.reconstruction.factors import Combination
from manypath.papers.reconstruction.halves import Halves
from manypath.papers.reconstruction.model import propose
from manypath.papers.reconstruction.trials import Trials

WHOLE = "whole"
"""The set of all claims, beside the halves."""


def design_of(trials: Trials) -> list[Combination]:
    """Return the settings of the design. The first one changes nothing."""
    names = [factor.name for factor in trials.factors]
    return combinations(names, fold_over(len(names)))


def search(trials: Trials, halves: Halves) -> dict[str, Combination]:
    """Return the best setting for all claims (`WHOLE`) and for each half, by runs of that setting.

    A half decides alone which settings are compared for it: those of the design, and what its own credits propose. What
    the other half proposes is left out, so that no credit of an untouched claim has a part in a fit. The fit to all
    claims, which leaves none untouched, compares everything that was run.
    """
    design = design_of(trials)
    trials.run(design)
    goals: dict[str, tuple[str, ...]] = {WHOLE: trials.claims, **halves}
    tried = {goal: set(design) for goal in goals}
    for goal, claims in goals.items():
        tried[goal].update(propose(trials.factors, trials.checks, claims, design))
    while True:
        trials.run(sorted(set().union(*tried.values()), key=sorted))
        tried[WHOLE] = set(trials.table.credits)
        found = {goal: trials.table.best(claims, tried[goal]) for goal, claims in goals.items()}
        less = {goal: _with_one_less(setting) - tried[goal] for goal, setting in found.items()}
        if not any(less.values()):
            return found
        for goal, settings in less.items():
            tried[goal] |= settings


def _with_one_less(setting: Combination) -> set[Combination]:
    return {setting - {name} for name in setting}
