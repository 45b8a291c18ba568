"""Plan of a grid's measurements: all cells get the first runs, and open cells get more until they are decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manypath.arguments import of_kind, truth
from manypath.campaign import Campaign, Results
from manypath.campaign import Cell as Run
from manypath.campaign.cell import written
from manypath.campaign.compute import Computation
from manypath.errors import UserError
from manypath.scenario import Scenario
from manypath.stats.looks import plan
from manypath.testbed.grid import Grid, GridCell, cells
from manypath.testbed.paired import PAIRED
from manypath.testbed.runner import Testbed
from manypath.testbed.stacks import EVERY_FLOW, at_once_of, check_stack, runs_of


@dataclass(frozen=True)
class Further:
    """The next measurements of open cells.

    Attributes
    ----------
    cells : int
        Number of open cells.
    before, runs : int
        Measurements of each open cell at the last look and at the next look.
    missing : int
        Measurements that the store lacks for the next look.
    most : int
        Measurements that the store lacks if all these cells stay open until the last look.
    """

    cells: int
    before: int
    runs: int
    missing: int
    most: int


class Plan:
    """A plan of the measurements of a grid.

    Parameters
    ----------
    grid, quick
        The grid, and whether to measure only its quick part.
    udp
        Whether SCTP runs inside UDP instead of directly in IP.
    runs
        First number of measurements of each cell; the number of the grid if None.
    most
        Largest number of measurements of a cell that stays open. None is `runs` if that is given, else the number of
        the grid.
    seed
        Seed of links and of starting times, together with the number of the run. Measurements and simulations have
        equal seeds.
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.
    stack
        The contestant that runs the flows.

    Raises
    ------
    UserError
        If an argument is invalid, or `most` is less than the first number of measurements.
    """

    def __init__(
        self,
        grid: Grid,
        *,
        quick: bool = False,
        udp: bool = False,
        runs: int | None = None,
        most: int | None = None,
        seed: int = 1,
        tries: int = 3,
        stack: str = "manypath",
    ) -> None:
        self.grid = of_kind("grid", grid, Grid, "one of manypath.testbed.GRIDS")
        self.size = grid.quick if truth("quick", quick) else grid.full
        truth("udp", udp)
        size = self.size
        first = size.runs if runs is None else runs_of("runs", runs)
        last = (size.most if runs is None else first) if most is None else runs_of("most", most)
        if last < first:
            raise UserError(f"most: {last} is less than {first}, the first number of runs: give {first} or more")
        self.looks = plan(first, last)

        check_stack("stack", stack)
        self.stack = stack
        runner = Testbed(tries, {EVERY_FLOW: stack})

        def scenario(**factors: Any) -> Scenario:
            return grid.scenario(**factors, udp=udp).but(warmup=f"{size.warmup} s", measure=f"{size.measure} s")

        self.measured = Campaign(scenario, size.factors, replications=first, seed=seed, runner=runner)

    @property
    def runs(self) -> int | str:
        """Measurements of each cell: a number, or a range in words if cells may differ."""
        first, last = self.looks[0].runs, self.looks[-1].runs
        return first if first == last else f"{first} to {last} replications"

    def missing(self, store: str | Path) -> int:
        """Return the number of measurements that the store lacks for the first look."""
        return Computation(self.measured.runner, store, progress=False).missing(self.measured.cells)

    def run(
        self, store: str | Path | None, at_once: int, before_more: Callable[[Further], None] = lambda _: None
    ) -> list[GridCell]:
        """Measure and simulate what the store lacks, and return the cells in the order of the axes.

        The equivalence test is a group sequential test. The first look is after the first runs of all cells. Each
        further look is after twice as many runs of the cells that are open. A decided cell keeps its verdict and gets
        no more runs. All looks together have a significance level of 5 % (`manypath.stats.looks`). Verdicts do not
        depend on stored runs of later looks.

        Every open cell is measured once before any cell is measured again. A slow change of the machine then affects
        all cells equally.

        Parameters
        ----------
        store
            Folder of results; with None results are not stored.
        at_once
            Number of concurrent measurements.
        before_more
            Is called with the next measurements before they begin.

        Raises
        ------
        UserError
            If this machine cannot run a cell.
        Stopped
            After Ctrl-C; the store has the finished runs.
        """
        at_once_of(at_once)
        found: dict[str, GridCell] = {}
        waiting = [factors for factors, _ in self.measured.scenarios]
        with (
            Computation(PAIRED, store, title="simulated") as simulation,
            Computation(self.measured.runner, store, at_once, title="measured") as computation,
        ):
            for index, look in enumerate(self.looks):
                wanted = self._runs(waiting, look.runs)
                computation.recall(wanted)
                if index:
                    before = self.looks[index - 1].runs
                    missing = computation.missing(wanted)
                    last = computation.missing(self._runs(waiting, self.looks[-1].runs))
                    before_more(Further(len(waiting), before, look.runs, missing, last))
                computation.complete(wanted)
                simulation.recall(wanted)
                simulation.complete(wanted)
                measured, simulated = (Results(each.outcomes(wanted)) for each in (computation, simulation))
                for cell in cells(self.grid.flow, measured, simulated, look.level):
                    found[written(cell.factors)] = cell
                waiting = [each for each in waiting if found[written(each)].goodput.word == "open"]
                if not waiting:
                    break
        return list(found.values())

    def _runs(self, chosen: Sequence[Mapping[str, Any]], count: int) -> list[Run]:
        """Return the first `count` runs of some cells, replication by replication."""
        names = {written(factors) for factors in chosen}
        scenarios = [(factors, document) for factors, document in self.measured.scenarios if written(factors) in names]
        return [
            Run(factors, document, self.measured.seed, repetition)
            for repetition in range(count)
            for factors, document in scenarios
        ]
