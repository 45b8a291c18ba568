"""A campaign: replicated runs of every combination of factors; a stored run is not computed again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from manypath.arguments import file, of_kind, seed_of, whole
from manypath.campaign.cell import Cell, told
from manypath.campaign.combinations import (
    Factors,
    check_each_once,
    check_labels,
    combinations,
    count,
    deal,
    names,
    read_factors,
)
from manypath.campaign.compute import Computation
from manypath.campaign.executors import Executor
from manypath.campaign.executors.executor import check_executor
from manypath.campaign.precision import Precision, run_until_precise
from manypath.campaign.progress import Progress, check_progress
from manypath.campaign.reserved import check_factors
from manypath.campaign.results import Results
from manypath.campaign.room import check_room
from manypath.campaign.runners import SIMULATOR, OfFactors, Runner
from manypath.campaign.runners.row import parameters
from manypath.display import counted
from manypath.errors import UserError, quoted
from manypath.run import check
from manypath.scenario import Scenario


class Campaign:
    """Replicated runs of many scenarios; replication r has common random numbers in all scenarios.

    Parameters
    ----------
    scenario
        A function that returns a scenario for one value of each factor, a single scenario, or a runner that takes the
        factors directly (`Function`, `Command`).
    factors
        ``{"cc": ["newreno", "cmt-rpv2"], "north": [...]}`` for every combination,
        or ``[{"cc": "newreno", "north": ...}, ...]`` for only these combinations. Names of columns of results, such as
        ``"path"``, ``"goodput"`` or ``"n"``, are refused.
    replications
        Replications of each scenario; 10 without `replications` and `precision`.
    seed
        Seed of the random numbers.
    precision
        Instead of `replications`: run until the confidence intervals are this narrow, such as ``"2 %"`` for all
        goodputs; see `Precision`. Each replication is the same as with a fixed number.
    most
        Largest number of runs; a larger campaign is refused, because it is usually a mistake.
    runner
        Runner of the scenarios, such as `manypath.testbed.Testbed`.

    Raises
    ------
    UserError
        If an argument is invalid, or there are too many runs.

    Examples
    --------
    >>> import manypath as mp
    >>> def scenario(cc, delay):
    ...     network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay=delay))
    ...     return mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"], cc=cc)}, measure="10 s")
    >>> campaign = mp.Campaign(scenario, {"cc": ["newreno", "cubic"], "delay": ["5 ms", "20 ms"]}, replications=3)
    >>> campaign.size
    12
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
        of_kind("runner", runner, Runner, "an object with version, prepare and run")
        if replications is not None:
            replications = whole("replications", replications, "number of repetitions", least=1)
        if not isinstance(precision, str | Precision | None):
            raise UserError(f'precision: {quoted(precision)} is no precision: give "2 %" or Precision(...)')
        most = whole("most", most, "number of runs", least=1)
        if replications is not None and precision is not None:
            raise UserError("replications: not valid with precision: give the maximum of the precision instead")
        self._factors = read_factors(factors)
        check_factors(names(self._factors), simulated=not isinstance(scenario, Runner))
        if isinstance(scenario, Scenario) and self._factors:
            raise UserError(
                "factors: a single scenario has no factors: give a function that makes a scenario from them"
            )
        self._scenario = scenario
        self.runner = scenario if isinstance(scenario, Runner) else runner
        self.seed = seed_of(seed)
        self.precision = Precision(within=precision) if isinstance(precision, str) else precision
        self.replications = self.precision.minimum if self.precision else replications or 10
        if self.size > most:
            several = count(self._factors)
            told = f"{counted(several, 'combination')} {'is' if several == 1 else 'are'} {counted(self.size, 'run')}"
            raise UserError(
                f"{self._largest}: {told}, more than {most:,}: {self._fewer}, or allow more with most (--yes)"
            )

    @property
    def size(self) -> int:
        """Number of runs; with a precision the smallest number."""
        return count(self._factors) * self.replications

    @property
    def _largest(self) -> str:
        """The argument that contributes most to the number of runs."""
        return "factors" if count(self._factors) >= self.replications else "replications"

    @property
    def _fewer(self) -> str:
        return "give fewer values" if self._largest == "factors" else "give fewer"

    @cached_property
    def scenarios(self) -> list[tuple[Mapping[str, Any], str]]:
        """Every combination of the factors, with its document for the runner."""
        check_room(count(self._factors), "factors")
        check_each_once(self._factors)
        found = [(factors, self._document(factors)) for factors in combinations(self._factors)]
        self._check_apart(found)
        return found

    def check_precision(self) -> None:
        """Refuse a precision whose measurement or selection simulations do not have.

        Raises
        ------
        UserError
            If there is such a precision.
        """
        # A rehearsal has one stream for each flow.
        if self.precision is None or self.runner is not SIMULATOR or "stream" in self.precision.of:
            return
        from manypath.campaign.rehearsal import rehearse

        self.precision.width(rehearse(self))

    @property
    def cells(self) -> list[Cell]:
        """Every run, ordered by replication, so that all scenarios have equally many replications after an early stop.

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
        """Compute the runs that are not in the store, store them, and return all results.

        Parameters
        ----------
        store
            Folder of results; None stores nothing.
        workers
            Number of threads; one for each core if None.
        progress
            True: a bar or lines on standard error; False: nothing; or another display.
        executor
            Place of computation; this machine if None.
        title
            Title in the progress display.
        shard
            Compute and return only one part, such as ``"2/4"`` for the second of four. Processes on several machines
            may each compute one part and share the store, or merge their stores later.

        Raises
        ------
        Stopped
            After Ctrl-C; finished runs are in the store.
        RunError
            If a run failed; finished runs are in the store.
        UserError
            If a scenario cannot be run, or the store cannot be used.

        Examples
        --------
        >>> import manypath as mp
        >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", loss="1 %"))
        >>> scenario = mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"])}, measure="5 s")
        >>> results = mp.Campaign(scenario, replications=3).run(store=None, progress=False)
        >>> results.mean("goodput").round(2)
           mean  half_width  n
        0  4.14        0.47  3
        """
        if store is not None:
            file("store", store)
        check_executor(executor)
        check_progress(progress)
        self.check_precision()
        precision = self.precision.described() if self.precision else None
        with Computation(self.runner, store, workers, progress, executor, title, precision) as computation:
            if self.precision is not None:
                part, parts = deal(shard)
                # The stopping rule needs all replications of a scenario in one process.
                mine = self.scenarios[part::parts]

                def cell(number: int, replication: int) -> Cell:
                    factors, document = mine[number]
                    return Cell(factors, document, self.seed, replication)

                return Results(run_until_precise(computation, len(mine), cell, self.precision))
            cells = self._cells(shard)
            # All parts have one note.
            computation.plan(Cell(*each, self.seed, self.replications - 1) for each in self.scenarios)
            computation.recall(cells)
            computation.complete(cells)
            return Results(computation.outcomes(cells))

    def _cells(self, shard: str | None) -> list[Cell]:
        """Return the runs of a part; its scenarios rotate with the replication, to balance the duration of parts."""
        part, parts = deal(shard)
        # The loop visits every replication, also those with all scenarios in other parts.
        check_room(max(self.size // parts, self.replications), self._largest)
        return [
            Cell(factors, document, self.seed, replication)
            for replication in range(self.replications)
            for number, (factors, document) in enumerate(self.scenarios)
            if (number + replication) % parts == part
        ]

    def _check_apart(self, scenarios: Sequence[tuple[Mapping[str, Any], str]]) -> None:
        """Check the scenarios together; a function may give the same scenario for several combinations."""
        if isinstance(self._scenario, OfFactors):
            self._scenario.check_factors([document for _, document in scenarios])

    def _document(self, factors: Mapping[str, Any]) -> str:
        check_labels(factors)
        if isinstance(self._scenario, Runner):
            return parameters(factors)
        try:
            scenario = self._scenario if isinstance(self._scenario, Scenario) else _made(self._scenario, factors)
            check(scenario)
        except UserError as error:
            where = told(factors)
            raise UserError(f"{error} (in the scenario with {where})" if where else str(error)) from None
        return scenario.document()


def _made(function: Callable[..., Scenario], factors: Mapping[str, Any]) -> Scenario:
    """Return the scenario of a function for factors, after a check of its arguments."""
    try:
        inspect.signature(function).bind(**factors)
    except TypeError as error:
        raise UserError(
            f"factors: differ from the arguments of the scenario's function ({error}): give its arguments"
        ) from None
    except ValueError:
        pass  # A function without a signature is called unchecked.
    return of_kind("scenario", function(**factors), Scenario, "a function that returns one")
