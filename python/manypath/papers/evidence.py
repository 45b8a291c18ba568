"""The runs of a paper's experiments, with the queries of claims and figures."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manypath.papers.traces import Trace
from manypath.rows import Outcome

Sample = NDArray[np.float64]
"""One number per replication, in the order of the replications."""

Level = float | int | str
"""Level of a factor."""

Number = int | str
"""Number of a figure in its paper: `5`, or `"5.10"` if each chapter numbers its figures."""


@dataclass(frozen=True)
class Case:
    """One point of one experiment.

    Attributes
    ----------
    experiment : str
        Name of the experiment.
    factors : tuple
        The levels of its factors as (name, level), sorted by name.
    """

    experiment: str
    factors: tuple[tuple[str, Level], ...]

    @staticmethod
    def of(experiment: str, **factors: Level) -> Case:
        """Return the point with these factors."""
        return Case(experiment, tuple(sorted(factors.items())))

    def __getitem__(self, factor: str) -> Level:
        return dict(self.factors)[factor]

    def __str__(self) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in self.factors)
        return f"{self.experiment} ({levels})"


@dataclass(frozen=True)
class Runs:
    """The replications of one case, in order: their outcomes, and their window curves if they were sampled."""

    outcomes: Sequence[Outcome]
    traces: Sequence[Trace] = ()

    def first(self, count: int | None) -> Runs:
        """Return only the first `count` replications."""
        return self if count is None else Runs(self.outcomes[:count], self.traces[:count])


def goodput_in(outcomes: Iterable[Outcome], flow: str) -> Sample:
    """Return the payload rate of a flow in each run, Mbit/s."""
    return np.array([outcome["flows"][flow]["goodput"] for outcome in outcomes], dtype=np.float64) / 1e6


class MissingCase(LookupError):
    """A claim read a point that this precision does not run."""


class Evidence:
    """All runs of a paper, as a view with at most one switch applied.

    Parameters
    ----------
    plain : mapping
        Runs of each case without a switch.
    switched : mapping, optional
        Runs of the cases that each switch changes, by the name of the switch.
    switch : str, optional
        The switch of this view. Cases that it does not change are read from `plain`.
    limit : int, optional
        Largest number of replications of each case in this view.
    """

    def __init__(
        self,
        plain: Mapping[Case, Runs],
        switched: Mapping[str, Mapping[Case, Runs]] | None = None,
        switch: str | None = None,
        limit: int | None = None,
    ) -> None:
        self._plain = plain
        self._switched = switched or {}
        self._over = self._switched.get(switch, {}) if switch else {}
        self._first = limit
        self._limit = min((len(runs.outcomes) for runs in self._over.values()), default=limit)
        self.switch = switch
        self.read: set[Case] = set()
        self.averaged: set[Case] = set()
        """The cases from which more than window curves were read."""

    def under(self, switch: str | None) -> Evidence:
        """Return a view of the same runs with a switch applied, and with an empty record of cases that were read.

        The view has only as many replications of each case as the switched cases have, so that replications can be
        paired.
        """
        return Evidence(self._plain, self._switched, switch, self._first)

    def first(self, runs: int) -> Evidence:
        """Return a view of only the first `runs` replications of each plain case."""
        return Evidence(self._plain, self._switched, self.switch, runs)

    def of(self, experiments: Container[str]) -> Evidence:
        """Return a view of only the cases of some experiments."""
        plain, *switched = (
            {case: runs for case, runs in cases.items() if case.experiment in experiments}
            for cases in (self._plain, *self._switched.values())
        )
        return Evidence(plain, dict(zip(self._switched, switched, strict=True)), self.switch, self._first)

    def fewest(self, cases: Iterable[Case]) -> int:
        """Return the smallest number of replications of some plain cases."""
        return min(len(self._plain[case].outcomes) for case in cases)

    def with_runs(self, more: Mapping[Case, Runs]) -> Evidence:
        """Return the same runs, with the plain runs of some cases replaced."""
        return Evidence({**self._plain, **more}, self._switched, self.switch, self._first)

    def cost(self, case: Case, runs: int) -> float:
        """Estimate the processor time of the runs that a plain case lacks of a total of `runs`, in seconds."""
        have = self._plain[case].outcomes
        each = float(np.mean([outcome.get("cpu_seconds", 0.0) for outcome in have]))
        return each * max(0, runs - len(have))

    def along_with(self, switched: Mapping[str, Mapping[Case, Runs]]) -> Evidence:
        """Return the same runs with additional switched ones."""
        merged = {name: dict(cases) for name, cases in self._switched.items()}
        for name, cases in switched.items():
            merged.setdefault(name, {}).update(cases)
        return Evidence(self._plain, merged, self.switch)

    def changes(self, switch: str, cases: Iterable[Case]) -> bool:
        """Return whether there are runs of any of these cases with a switch."""
        return any(case in self._switched.get(switch, {}) for case in cases)

    def digests(self) -> Iterator[str]:
        """Iterate over the digests of all runs, preceded by their switch and case, in a reproducible order."""
        for switch, cases in [("", self._plain), *sorted(self._switched.items())]:
            for case, runs in sorted(cases.items(), key=lambda item: str(item[0])):
                yield f"{switch} {case}"
                yield from (outcome["digest"] for outcome in runs.outcomes)

    def runs(self, case: Case) -> Runs:
        """Return the replications of one case, and record that the case was read."""
        self.averaged.add(case)
        return self._runs(case)

    def curves(self, case: Case) -> Sequence[Trace]:
        """Return the window curves of one case, which show its course; raise `MissingCase` if there are none."""
        traces = self._runs(case).traces
        if not traces:
            raise MissingCase(f"window curves of {case}")
        return traces

    def _runs(self, case: Case) -> Runs:
        self.read.add(case)
        found = self._over.get(case) or self._plain.get(case)
        if found is None:
            raise MissingCase(str(case))
        return found.first(self._limit)

    def goodput(self, experiment: str, flow: str, **factors: Level) -> Sample:
        """Return the payload rate of a flow in each replication, Mbit/s."""
        return goodput_in(self.runs(Case.of(experiment, **factors)).outcomes, flow)

    def goodput_on(self, experiment: str, flow: str, path: str, **factors: Level) -> Sample:
        """Return the payload rate of a flow over one of its paths in each replication, Mbit/s."""
        outcomes = self.runs(Case.of(experiment, **factors)).outcomes
        rates = [outcome["flows"][flow]["paths"][path]["goodput"] for outcome in outcomes]
        return np.array(rates, dtype=np.float64) / 1e6

    def of_outcomes(self, measure: Callable[[Outcome], float], experiment: str, **factors: Level) -> Sample:
        """Return `measure` of the outcome of each replication."""
        outcomes = self.runs(Case.of(experiment, **factors)).outcomes
        return np.array([measure(outcome) for outcome in outcomes], dtype=np.float64)

    def of_traces(self, measure: Callable[[Trace], float], experiment: str, **factors: Level) -> Sample:
        """Return `measure` of the window curves of each replication; raise `MissingCase` if there are none."""
        return np.array([measure(trace) for trace in self.curves(Case.of(experiment, **factors))], dtype=np.float64)

    def levels(self, experiment: str, factor: str, where: Callable[[float], bool] | None = None) -> list[float]:
        """Return the levels of a numeric factor that were run, in ascending order."""
        found = {case[factor] for case in self._plain if case.experiment == experiment}
        numbers = sorted(level for level in found if isinstance(level, int | float))
        return [level for level in numbers if where is None or where(level)]

    def sweep(
        self,
        experiment: str,
        factor: str,
        flow: str,
        where: Callable[[float], bool] | None = None,
        **factors: Level,
    ) -> dict[float, Sample]:
        """Return the payload rate of a flow at each level of a factor, Mbit/s."""
        return {
            level: self.goodput(experiment, flow, **factors, **{factor: level})
            for level in self.levels(experiment, factor, where)
        }

    def sweep_on(
        self,
        experiment: str,
        factor: str,
        flow: str,
        path: str,
        where: Callable[[float], bool] | None = None,
        **factors: Level,
    ) -> dict[float, Sample]:
        """Return the payload rate of a flow over one of its paths at each level of a factor, Mbit/s."""
        return {
            level: self.goodput_on(experiment, flow, path, **factors, **{factor: level})
            for level in self.levels(experiment, factor, where)
        }

    def sweep_of(
        self,
        measure: Callable[[Outcome], float],
        experiment: str,
        factor: str,
        where: Callable[[float], bool] | None = None,
        **factors: Level,
    ) -> dict[float, Sample]:
        """Return `measure` of the outcomes at each level of a factor."""
        return {
            level: self.of_outcomes(measure, experiment, **factors, **{factor: level})
            for level in self.levels(experiment, factor, where)
        }

    def cases(self) -> Iterator[Case]:
        """Iterate over the cases of the plain runs."""
        return iter(self._plain)

    def trials(self) -> Iterator[tuple[str, Case, Runs]]:
        """Iterate over the runs with a switch: its name, the case, the replications."""
        return ((name, case, runs) for name, cases in self._switched.items() for case, runs in cases.items())
