"""A grid before its measurement: first all cells are measured, then open cells again until they are decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manypath.campaign import Campaign, Results
from manypath.campaign import Cell as Run
from manypath.campaign.cell import written
from manypath.campaign.compute import Computation
from manypath.errors import UserError
from manypath.scenario import Scenario
from manypath.stats.looks import plan
from manypath.testbed.grid import Cell, Grid, cells
from manypath.testbed.paired import PAIRED
from manypath.testbed.runner import Testbed
from manypath.testbed.stacks import EVERY_FLOW


@dataclass(frozen=True)
class Further:
    """More measurements of open cells, before they begin.

    Attributes
    ----------
    cells : int
        Cells that are open.
    before, runs : int
        Measurements of each of these cells by now, and after this.
    missing : int
        Measurements that the store lacks for this.
    most : int
        Measurements that the store lacks if all these cells stay open until the end.
    """

    cells: int
    before: int
    runs: int
    missing: int
    most: int


class Plan:
    """A grid before its measurement.

    Parameters
    ----------
    grid, quick
        The grid, and whether only its quick part is measured.
    udp
        SCTP inside UDP instead of directly in IP.
    runs
        Measurements of each cell; the number of the grid if None.
    most
        Measurements of a cell that stays open; if None the number of the grid, or `runs` if that is given.
    seed
        Seed of links and starts, with the number of the run; measurements and simulations have the same.
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.
    stack
        The contestant that runs the flows.

    Raises
    ------
    UserError
        If `most` is less than the first measurements.
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
        self.grid = grid
        self.size = grid.quick if quick else grid.full
        size = self.size
        first = runs or size.runs
        last = most or runs or size.most
        if last < first:
            raise UserError(f"most: {last} is less than the {first} runs that each cell has: give {first} or more")
        self.looks = plan(first, last)

        self.stack = stack
        runner = Testbed(tries, {EVERY_FLOW: stack})

        def scenario(**factors: Any) -> Scenario:
            return grid.scenario(**factors, udp=udp).but(warmup=f"{size.warmup} s", measure=f"{size.measure} s")

        self.measured = Campaign(scenario, size.factors, replications=first, seed=seed, runner=runner)

    @property
    def runs(self) -> int | str:
        """Measurements of each cell; words where they differ."""
        first, last = self.looks[0].runs, self.looks[-1].runs
        return first if first == last else f"{first} to {last} replications"

    def missing(self, store: str | Path) -> int:
        """How many measurements the store lacks for the first look."""
        return _missing(Computation(self.measured.runner, store, progress=False), self.measured.cells)

    def run(
        self, store: str | Path | None, at_once: int, before_more: Callable[[Further], None] = lambda _: None
    ) -> list[Cell]:
        """Measure and simulate what the store lacks, and return the cells in the order of the axes.

        All cells are looked at after the first runs, and those that are open after twice as many, and so on. A cell
        that is decided keeps its verdict and gets no more runs. The looks share an error of 5 %
        (`manypath.stats.looks`). Verdicts do not depend on runs of later looks that the store may have.

        Every open cell is measured once before one is measured again, so that a machine that changes changes all alike.

        Parameters
        ----------
        store
            Folder of results; None keeps nothing.
        at_once
            Measurements side by side.
        before_more
            Is told of further measurements before they begin.

        Raises
        ------
        UserError
            If a cell cannot be measured here.
        Stopped
            After Ctrl-C; what was finished is in the store.
        """
        found: dict[str, Cell] = {}
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
                    missing = _missing(computation, wanted)
                    last = _missing(computation, self._runs(waiting, self.looks[-1].runs))
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
        """The first runs of some cells, repetition by repetition."""
        names = {written(factors) for factors in chosen}
        scenarios = [(factors, document) for factors, document in self.measured.scenarios if written(factors) in names]
        return [
            Run(factors, document, self.measured.seed, repetition)
            for repetition in range(count)
            for factors, document in scenarios
        ]


def _missing(computation: Computation, runs: Sequence[Run]) -> int:
    """How many of the runs are not in the store."""
    computation.recall(runs)
    return len(runs) - computation.stored(runs)
