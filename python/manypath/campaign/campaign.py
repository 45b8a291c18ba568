"""A campaign: every combination of some factors, repeated, each run computed once and kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from manypath.arguments import file, of_kind, seed_of, whole
from manypath.campaign.cell import Cell, written
from manypath.campaign.combinations import Factors, check_each_once, combinations, count, deal, read_factors
from manypath.campaign.compute import Computation
from manypath.campaign.executors import Executor
from manypath.campaign.executors.executor import check_executor
from manypath.campaign.precision import Precision, run_until_precise
from manypath.campaign.progress import Progress
from manypath.campaign.results import Results
from manypath.campaign.room import check_room
from manypath.campaign.runners import SIMULATOR, Runner
from manypath.campaign.runners.row import parameters
from manypath.errors import UserError, quoted
from manypath.run import check
from manypath.scenario import Scenario


class Campaign:
    """Many scenarios, each replicated; replication r sees the same chance in all of them.

    Parameters
    ----------
    scenario
        A function that makes a scenario of one value per factor, a single scenario, or a runner that takes the factors
        themselves (`Function`, `Command`).
    factors
        ``{"cc": ["newreno", "cmt-rpv2"], "north": [...]}`` for every combination,
        or ``[{"cc": "newreno", "north": ...}, ...]`` for just these.
    replications
        Repetitions of each scenario; 10 if neither they nor a precision are given.
    seed
        With the replication it fixes every random number.
    precision
        Instead of `replications`: as many as it takes, such as ``"2 %"`` for all goodputs; see `Precision`. The
        replications are those that a fixed number would give.
    most
        Runs that are taken for granted; more of them are refused, as they are rarely meant.
    runner
        What runs the scenarios, such as `manypath.testbed.Testbed`.

    Raises
    ------
    UserError
        If the factors are no lists, or there are too many runs.
    """

    def __init__(
        self,
        scenario: Callable[..., Scenario] | Scenario | Runner,
        factors: Factors | None = None,
        *,
        replications: int | None = None,
        seed: int = 1,
        precision: str | Precision | None = None,
        most: int = 100_000,
        runner: Runner = SIMULATOR,
    ) -> None:
        if not isinstance(scenario, Scenario | Runner) and not callable(scenario):
            raise UserError(
                f"scenario: {quoted(scenario)} cannot be run: give a Scenario, or a function that makes one"
            )
        of_kind("runner", runner, Runner, "one with version, prepare and run")
        if replications is not None:
            replications = whole("replications", replications, "number of repetitions", least=1)
        if not isinstance(precision, str | Precision | None):
            raise UserError(f'precision: {quoted(precision)} is none: give "2 %" or Precision(...)')
        most = whole("most", most, "number of runs", least=1)
        if replications is not None and precision is not None:
            raise UserError("replications: a precision is there, too: give its maximum there, and no replications")
        self._factors = read_factors(factors)
        if isinstance(scenario, Scenario) and self._factors:
            raise UserError("factors: a single scenario has none: give a function that makes a scenario of them")
        self._scenario = scenario
        self.runner = scenario if isinstance(scenario, Runner) else runner
        self.seed = seed_of(seed)
        self.precision = Precision(within=precision) if isinstance(precision, str) else precision
        self.replications = self.precision.minimum if self.precision else replications or 10
        if self.size > most:
            raise UserError(
                f"{self._largest}: {count(self._factors):,} combinations are {self.size:,} runs, more than {most:,}: "
                f"{self._fewer}, or allow as many if you mean it"
            )

    @property
    def size(self) -> int:
        """Number of runs; with a precision the smallest one."""
        return count(self._factors) * self.replications

    @property
    def _largest(self) -> str:
        """What makes the campaign as large as it is."""
        return "factors" if count(self._factors) >= self.replications else "replications"

    @property
    def _fewer(self) -> str:
        return "give fewer values" if self._largest == "factors" else "give fewer"

    @cached_property
    def scenarios(self) -> list[tuple[Mapping[str, Any], str]]:
        """Every combination of the factors, with the document that is run."""
        check_room(count(self._factors), "factors")
        check_each_once(self._factors)
        return [(factors, self._document(factors)) for factors in combinations(self._factors)]

    @property
    def cells(self) -> list[Cell]:
        """Every run: replication by replication, so that an early stop leaves all scenarios equally often repeated.

        With a precision these are the runs before the first decision.
        """
        return self._cells(None)

    def run(
        self,
        store: str | Path | None = "runs",
        workers: int | None = None,
        progress: Progress | bool = True,
        executor: Executor | None = None,
        title: str = "campaign",
        shard: str | None = None,
    ) -> Results:
        """Compute what the store lacks, keep it there, and return everything.

        Parameters
        ----------
        store
            Folder of results; None keeps nothing.
        workers
            Threads; all cores if None.
        progress
            True: a bar or lines on standard error; False: nothing; or a display of your own.
        executor
            Where to compute; this machine if None.
        title
            What the progress display calls the campaign.
        shard
            Compute and return one part only, such as ``"2/4"``, the second of four; together the parts are everything.
            Processes on many machines may each take one and share the store, or bring their stores together later.

        Raises
        ------
        Stopped
            After Ctrl-C; what was finished is in the store.
        RunError
            If a run failed; what was finished is in the store.
        UserError
            If a scenario cannot be run, or the store cannot be used.
        """
        if store is not None:
            file("store", store)
        check_executor(executor)
        if not isinstance(progress, bool) and not hasattr(progress, "say"):
            raise UserError(f"progress: {quoted(progress)} is no display: give True, False or a Progress")
        with Computation(self.runner, store, workers, progress, executor, title) as computation:
            if self.precision is not None:
                part, parts = deal(shard)
                # Who decides about a scenario needs all of its replications.
                mine = self.scenarios[part::parts]

                def cell(number: int, replication: int) -> Cell:
                    factors, document = mine[number]
                    return Cell(factors, document, self.seed, replication)

                return Results(run_until_precise(computation, len(mine), cell, self.precision))
            cells = self._cells(shard)
            computation.recall(cells)
            computation.complete(cells)
            return Results(computation.outcomes(cells))

    def _cells(self, shard: str | None) -> list[Cell]:
        """The runs of a part; its scenarios change from replication to replication, so that parts take equally long."""
        part, parts = deal(shard)
        # Every replication is looked at, even where most of them are in other parts.
        check_room(max(self.size // parts, self.replications), self._largest)
        return [
            Cell(factors, document, self.seed, replication)
            for replication in range(self.replications)
            for number, (factors, document) in enumerate(self.scenarios)
            if (number + replication) % parts == part
        ]

    def _document(self, factors: Mapping[str, Any]) -> str:
        if isinstance(self._scenario, Runner):
            return parameters(factors)
        try:
            scenario = self._scenario if isinstance(self._scenario, Scenario) else _made(self._scenario, factors)
            check(scenario)
        except UserError as error:
            where = written(factors)
            raise UserError(f"{error} (in the scenario with {where})" if where else str(error)) from None
        return scenario.document()


def _made(function: Callable[..., Scenario], factors: Mapping[str, Any]) -> Scenario:
    """The scenario that a function makes of factors that it takes."""
    try:
        inspect.signature(function).bind(**factors)
    except TypeError as error:
        raise UserError(
            f"factors: the function of the scenario cannot take them ({error}): give its arguments"
        ) from None
    except ValueError:
        pass  # A function without a signature is asked as it is.
    return of_kind("scenario", function(**factors), Scenario, "a function that returns one")
