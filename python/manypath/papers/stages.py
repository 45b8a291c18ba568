"""The order of the runs of a paper: the cheapest figure is first, so that a figure is complete early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from manypath.papers.evidence import Case
from manypath.papers.experiment import Precision
from manypath.papers.paper import Figure, Paper


@dataclass(frozen=True)
class Stage:
    """Cases that are run together.

    Attributes
    ----------
    cases : tuple of Case
        The cases.
    figures : tuple of Figure
        The figures that this stage completes.
    """

    cases: tuple[Case, ...]
    figures: tuple[Figure, ...]


def stages(paper: Paper, precision: Precision, figures: Sequence[Figure], cases: Sequence[Case]) -> list[Stage]:
    """Divide the cases of a paper by the figures that read them; cheap figures first, cases without a figure last."""
    left = {name: [case for case in cases if case.experiment == name] for name in {case.experiment for case in cases}}
    needed = {figure.name: needs(paper, figure) for figure in figures}
    planned: list[Stage] = []
    for figure in sorted(figures, key=lambda figure: _cost(paper, precision, needed[figure.name])):
        new = tuple(case for name in sorted(needed[figure.name]) for case in left.pop(name, ()))
        if new or not planned:
            planned.append(Stage(new, (figure,)))
        else:
            planned[-1] = Stage(planned[-1].cases, (*planned[-1].figures, figure))
    rest = tuple(case for name in sorted(left) for case in left[name])
    return [*planned, Stage(rest, ())] if rest else planned


def cost_of_first(paper: Paper, precision: Precision) -> float:
    """Estimate the cost of the cheapest figure of a paper, in simulated Mbit."""
    return min((_cost(paper, precision, needs(paper, figure)) for figure in paper.figures), default=inf)


def needs(paper: Paper, figure: Figure) -> set[str]:
    """Return the experiments of a figure, and those of other drawings with its number."""
    own = {experiment.name for experiment in paper.experiments.all() if str(experiment.figure) == str(figure.number)}
    return own | set(figure.experiments)


def _cost(paper: Paper, precision: Precision, names: set[str]) -> float:
    """Estimate the cost of some experiments in simulated Mbit; each case counts as the first one of its experiment."""
    total = 0.0
    for name in sorted(names & precision.grids.keys()):
        cases = list(paper.experiments.cases(precision, {name}))
        if cases:
            scenario = paper.experiments.scenario(cases[0], precision)
            rate = sum(map(scenario.network.bottleneck_rate, scenario.network.paths))
            total += len(cases) * precision.replications * rate * (scenario.warmup + scenario.measure) / 1e15
    return total
