"""Measures the experiments of a paper with several stacks, and simulates them with the same seeds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from manypath.arguments import of_kind, seed_of, texts, truth
from manypath.campaign import Cell, Results
from manypath.campaign.compute import Computation
from manypath.errors import UserError, quoted, remedy
from manypath.papers.evidence import Case
from manypath.scenario import Mptcp, Scenario
from manypath.stats.looks import SIGNIFICANCE
from manypath.testbed.congestion import loaded
from manypath.testbed.paired import PAIRED
from manypath.testbed.paper_grid import PaperGrid, PaperSize
from manypath.testbed.runner import Testbed
from manypath.testbed.stacks import at_once_of, runs_of
from manypath.testbed.verdict import Verdict, judge


@dataclass(frozen=True)
class PlannedPoint:
    """One case that one stack has run.

    Attributes
    ----------
    case : Case
        The experiment and its factors.
    stack : str
        The stack that ran all flows.
    measured, simulated : Results
        The runs; the n-th runs of both have the same seed.
    goodput : mapping
        For each flow, the measured and the simulated goodput in Mbit/s with the verdict of the equivalence test.
    """

    case: Case
    stack: str
    measured: Results
    simulated: Results
    goodput: Mapping[str, Verdict]

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks of each marked run: reasons not to trust it."""
        return tuple(mark for mark in self.measured.runs["marks"] if mark)

    @property
    def again(self) -> int:
        """The number of measurements that were repeated because they were disturbed."""
        return int((self.measured.runs["tries"] - 1).sum())

    @property
    def worst(self) -> float:
        """The largest deviation of a flow's ratio of measured to simulated goodput from 1."""
        return max(abs(verdict.ratio - 1.0) for verdict in self.goodput.values())


class PaperPlan:
    """A plan of the measurements of a paper.

    Parameters
    ----------
    grid
        The paper's experiments and stacks.
    stacks
        The stacks to run; all stacks of the grid if None.
    controls
        Only the cases of these congestion controls; all cases if None.
    quick
        Whether to run the reduced grid, which takes minutes, instead of the full grid.
    runs
        Number of runs of each case by each stack; the number of the grid if None.
    seed
        Seed of the links and of the flows' starting times, together with the number of the run.
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.

    Raises
    ------
    UserError
        If an argument is invalid, or the grid does not have one of the names.
    """

    def __init__(
        self,
        grid: PaperGrid,
        *,
        stacks: Sequence[str] | None = None,
        controls: Sequence[str] | None = None,
        quick: bool = False,
        runs: int | None = None,
        seed: int = 1,
        tries: int = 3,
    ) -> None:
        self.grid = of_kind("grid", grid, PaperGrid, "one of manypath.testbed.PAPER_GRIDS")
        self.size: PaperSize = grid.quick if truth("quick", quick) else grid.full
        self.runs = self.size.runs if runs is None else runs_of("runs", runs)
        self.seed = seed_of(seed)
        self.stacks = self._known("stacks", stacks, grid.stacks)
        self.runners = {stack: Testbed(tries, {"": stack}) for stack in self.stacks}
        chosen = self._known("controls", controls, self.size.controls)
        cases = self.size.cases() if controls is None else self.size.under(chosen)
        scenarios = {case: grid.scenario(case, self.size) for case in cases}
        self.cases = tuple(scenarios)
        flows = [flow for scenario in scenarios.values() for flow in scenario.flows.values()]
        self.kernel_controls = tuple(dict.fromkeys(flow.cc for flow in flows if isinstance(flow, Mptcp)))
        """Congestion controls of the Multipath TCP flows, which the kernel must have."""
        self._documents = {case: scenario.document() for case, scenario in scenarios.items()}
        self._mixed = mixed({case: _load(scenario) for case, scenario in scenarios.items()})

    def _known(self, field: str, names: Sequence[str] | None, known: Collection[str]) -> tuple[str, ...]:
        """Return names that the grid has, each once; all of them if None."""
        if names is None:
            return tuple(known)
        given = dict.fromkeys(texts(field, names, "a list of names"))
        for name in given or [""]:
            if name not in known:
                raise UserError(f"{field}: {self.grid.paper.name} has no {quoted(name)}: {remedy(name, known)}")
        return tuple(given)

    def prepare(self, at_once: int) -> None:
        """Check that every stack can run the flows on this machine.

        Raises
        ------
        UserError
            If a stack cannot run a flow.
        """
        at_once_of(at_once)
        with loaded(self.kernel_controls):
            for runner in self.runners.values():
                runner.prepare(self._cells(range(1)), at_once)

    def missing(self, store: Path) -> int:
        """Return the number of measurements that the store lacks."""
        cells = self._cells(range(self.runs))
        return sum(Computation(runner, store, progress=False).missing(cells) for runner in self.runners.values())

    def run(self, store: Path, at_once: int, told: Callable[[str], None] = lambda _: None) -> list[PlannedPoint]:
        """Measure and simulate what the store lacks, and return all points.

        Stacks alternate, so that a slow change of the machine affects all stacks equally. In its turn a stack runs all
        cases once, or as often as fits into `at_once` measurements.

        Raises
        ------
        UserError
            If this machine cannot run a case.
        Stopped
            After Ctrl-C; the store has the finished runs.
        """
        at_once_of(at_once)
        cells = self._cells(range(self.runs))
        with ExitStack() as contexts:
            contexts.enter_context(loaded(self.kernel_controls))
            simulation = contexts.enter_context(Computation(PAIRED, store, title="simulated"))
            measurements = {
                stack: contexts.enter_context(
                    Computation(runner, store, at_once, title=f"measured by {self.grid.stacks[stack]}")
                )
                for stack, runner in self.runners.items()
            }
            for each in (simulation, *measurements.values()):
                each.recall(cells)
            simulation.complete(cells)
            for turn in self._turns(at_once):
                for stack, computation in measurements.items():
                    told(f"run {turn.start + 1} of {self.runs}: {self.grid.stacks[stack]}")
                    computation.complete(self._cells(turn))
            simulated = Results(simulation.outcomes(cells))
            return [
                point
                for stack, computation in measurements.items()
                for point in self._points(stack, Results(computation.outcomes(cells)), simulated)
            ]

    def _turns(self, at_once: int) -> Iterator[range]:
        """Yield the replications of each turn of a stack. A stack that is alone has one turn."""
        length = self.runs if len(self.stacks) == 1 else max(1, at_once // len(self.cases))
        for start in range(0, self.runs, length):
            yield range(start, min(start + length, self.runs))

    def _points(self, stack: str, measured: Results, simulated: Results) -> Iterator[PlannedPoint]:
        for case in self._documents:
            ours, theirs = (each.select(case=str(case)) for each in (measured, simulated))
            goodput = {
                flow: judge(
                    ours.values("goodput", flow=flow), theirs.values("goodput", flow=flow), SIGNIFICANCE, paired=True
                )
                for flow in self.grid.flows
            }
            yield PlannedPoint(case, stack, ours, theirs, goodput)

    def _cells(self, numbers: range) -> list[Cell]:
        """Return the runs of all cases with these replication numbers, replication by replication.

        Cases with fast and slow links alternate, so that measurements at once load the machine evenly.
        """
        return [
            Cell({"case": str(case)}, self._documents[case], self.seed, number)
            for number in numbers
            for case in self._mixed
        ]


def mixed(loads: Mapping[Case, float]) -> tuple[Case, ...]:
    """Return the cases in the order largest load, smallest load, second largest, second smallest, and so on."""
    falling = sorted(loads, key=lambda case: -loads[case])
    half = (len(falling) + 1) // 2
    pairs = zip_longest(falling[:half], reversed(falling[half:]))
    return tuple(case for pair in pairs for case in pair if case is not None)


def _load(scenario: Scenario) -> float:
    """Return the sum of the rates of the links of a scenario in bit/s."""
    return float(sum(link.rate for link in scenario.network.links.values()))
