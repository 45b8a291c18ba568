"""Chooses the settings that are run: a design, proposals of a model, and the best settings with one change less."""

from __future__ import annotations

from manypath.papers.reconstruction.design import combinations, fold_over
from manypath.papers.reconstruction.factors import Combination
from manypath.papers.reconstruction.halves import Halves
from manypath.papers.reconstruction.model import propose
from manypath.papers.reconstruction.trials import Trials

WHOLE = "whole"
"""Key of the set of all claims."""


def design_of(trials: Trials) -> list[Combination]:
    """Return the settings of the design. The first one changes nothing."""
    names = [factor.name for factor in trials.factors]
    return combinations(names, fold_over(len(names)))


def search(trials: Trials, halves: Halves) -> dict[str, Combination]:
    """Return the best setting for all claims (`WHOLE`) and for each half. Every compared setting is run.

    The fit to a half compares the settings of the design, and those that the credits of this half propose. It excludes
    the proposals of the other half, so that the credits of test claims do not influence a fit. The fit to all claims
    has no test claims and compares every setting that was run.
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
