"""An experiment of a paper: a scenario as a function of its factors, and the points that are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf

from manypath.papers.evidence import Case, Level, Number
from manypath.scenario import Scenario

Grid = Mapping[str, tuple[Level, ...]]
"""The levels of each factor; all combinations are run."""


@dataclass(frozen=True)
class Experiment:
    """A scenario as a function of its factors.

    Attributes
    ----------
    name : str
        Name in cases and claims.
    figure : int or str or None
        The figure of the paper that shows the experiment.
    scenario : callable
        Function that builds the scenario from one level of each factor.
    window : tuple of str or None
        Warm-up and measurement window of the experiment; None for those of the precision.
    series : str or None
        Sampling interval of the window curves; None without curves.
    """

    name: str
    figure: Number | None
    scenario: Callable[..., Scenario]
    window: tuple[str, str] | None = None
    series: str | None = None


@dataclass(frozen=True)
class Precision:
    """Number of runs, duration and grids of the reproduction of a paper.

    Attributes
    ----------
    name : str
        Name in the report, such as `quick` or `full`.
    replications : int
        Runs of each case.
    most : int
        Largest number of runs of the cases that undecided claims read; 0 for `replications`.
    budget : float
        Processor time for runs beyond `replications`, in seconds.
    trials : int
        Runs of each case with a switch, in the search for a cause.
    trial_cases : int
        Largest number of cases that are run with switches in total, which limits the time of the search for causes.
    curves : int
        Largest number of runs of a case whose window curves are sampled.
    warmup, measure : str
        The transient before the measurement, and the measurement window.
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
    """The experiments of one paper. A decorator adds experiments."""

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
        warmup, measure = self.window(case, precision)
        return self._by_name[case.experiment].scenario(**dict(case.factors)).but(warmup=warmup, measure=measure)

    def window(self, case: Case, precision: Precision) -> tuple[str, str]:
        """Return the warm-up and the duration of the measurement of one point."""
        return self._by_name[case.experiment].window or (precision.warmup, precision.measure)
