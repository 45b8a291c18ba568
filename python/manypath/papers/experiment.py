"""An experiment of a paper: a scenario as a function of its factors, and the points at which it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf

from manypath.papers.evidence import Case, Level, Number
from manypath.scenario import Scenario

Grid = Mapping[str, tuple[Level, ...]]
"""The levels of each factor; every combination is run."""


@dataclass(frozen=True)
class Experiment:
    """A scenario as a function of its factors.

    Attributes
    ----------
    name : str
        What cases and claims call it.
    figure : int or str or None
        The figure of the paper that it stands for.
    scenario : callable
        Builds the scenario from one level of each factor.
    window : tuple of str or None
        Warm-up and measurement of its own; else those of the precision.
    series : str or None
        Interval of the window curves, where it needs them.
    """

    name: str
    figure: Number | None
    scenario: Callable[..., Scenario]
    window: tuple[str, str] | None = None
    series: str | None = None


@dataclass(frozen=True)
class Precision:
    """How finely a paper is reproduced.

    Attributes
    ----------
    name : str
        `quick`, `full` or another word for the report.
    replications : int
        Runs of each case.
    most : int
        Runs of the cases that undecided claims read, at most; 0 for no more than `replications`.
    budget : float
        Processor time for runs beyond `replications`, in seconds.
    trials : int
        Runs of each case in which one thing is changed to find a cause.
    trial_cases : int
        How many cases may be run with one thing changed, all together: a limit on the time that causes take.
    curves : int
        Runs of each case that needs window curves, at most.
    warmup, measure : str
        The transient that is left out, and the window after it.
    grids : mapping
        The grid of each experiment by name.
    """

    name: str
    replications: int
    trials: int
    curves: int
    warmup: str
    measure: str
    grids: Mapping[str, Grid]
    trial_cases: int = 1_000_000
    most: int = 0
    budget: float = inf


class Experiments:
    """The experiments of one paper, filled by a decorator."""

    def __init__(self) -> None:
        self._by_name: dict[str, Experiment] = {}

    def __call__(
        self,
        name: str,
        *,
        figure: Number | None = None,
        window: tuple[str, str] | None = None,
        series: str | None = None,
    ) -> Callable[[Callable[..., Scenario]], Callable[..., Scenario]]:
        """Return the decorator that registers a scenario function."""

        def register(function: Callable[..., Scenario]) -> Callable[..., Scenario]:
            self._by_name[name] = Experiment(name, figure, function, window, series)
            return function

        return register

    def __getitem__(self, name: str) -> Experiment:
        return self._by_name[name]

    def all(self) -> list[Experiment]:
        """Return the experiments in the order of their definition."""
        return list(self._by_name.values())

    def cases(self, precision: Precision, names: set[str] | None = None) -> Iterator[Case]:
        """Iterate over the points of the named experiments (of all by default)."""
        for name, grid in precision.grids.items():
            if names is None or name in names:
                for levels in product(*grid.values()):
                    yield Case.of(name, **dict(zip(grid, levels, strict=True)))

    def scenario(self, case: Case, precision: Precision) -> Scenario:
        """Build the scenario of one point, with its measurement window."""
        experiment = self._by_name[case.experiment]
        warmup, measure = experiment.window or (precision.warmup, precision.measure)
        return experiment.scenario(**dict(case.factors)).but(warmup=warmup, measure=measure)
