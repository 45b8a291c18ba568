"""A campaign: every combination of some factors, repeated, each run computed once and kept."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from manypath.campaign.cell import Cell, written
from manypath.campaign.compute import compute
from manypath.campaign.executors import Executor
from manypath.campaign.progress import Progress
from manypath.campaign.results import Results
from manypath.errors import UserError
from manypath.run import check
from manypath.scenario import Scenario

Factors = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]
"""Values to combine in full, or the wanted combinations themselves."""


class Campaign:
    """Many scenarios, each replicated; replication r sees the same chance in all of them.

    Parameters
    ----------
    scenario
        A function that makes a scenario of one value per factor, or a single scenario.
    factors
        ``{"cc": ["newreno", "cmt-rpv2"], "north": [...]}`` for every combination,
        or ``[{"cc": "newreno", "north": ...}, ...]`` for just these.
    replications
        Repetitions of each scenario.
    seed
        With the replication it fixes every random number.
    """

    def __init__(
        self,
        scenario: Callable[..., Scenario] | Scenario,
        factors: Factors | None = None,
        *,
        replications: int = 10,
        seed: int = 1,
    ) -> None:
        if replications < 1:
            raise UserError(f"replications: {replications} is no number of repetitions: give 1 or more")
        if isinstance(scenario, Scenario) and factors:
            raise UserError("factors: a single scenario has none: give a function that makes a scenario of them")
        self._scenario = scenario
        self._combinations = list(_combinations(factors or {}))
        self.replications = replications
        self.seed = seed

    @cached_property
    def cells(self) -> list[Cell]:
        """Every run: replication by replication, so that an early stop leaves all scenarios equally often repeated."""
        documents = [(factors, self._document(factors)) for factors in self._combinations]
        return [
            Cell(factors, document, self.seed, replication)
            for replication in range(self.replications)
            for factors, document in documents
        ]

    def run(
        self,
        store: str | Path | None = "runs",
        workers: int | None = None,
        progress: Progress | bool = True,
        executor: Executor | None = None,
        title: str = "campaign",
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

        Raises
        ------
        Stopped
            After Ctrl-C; what was finished is in the store.
        RunError
            If the engine cannot vouch for a run; what was finished is in the store.
        """
        return Results(compute(self.cells, store, workers, progress, executor, title))

    def _document(self, factors: Mapping[str, Any]) -> str:
        try:
            scenario = self._scenario if isinstance(self._scenario, Scenario) else self._scenario(**factors)
            check(scenario)
        except UserError as error:
            where = written(factors)
            raise UserError(f"{error} (in the scenario with {where})" if where else str(error)) from None
        return scenario.document()


def _combinations(factors: Factors) -> Iterable[Mapping[str, Any]]:
    """Every combination of the values, the last factor varying fastest; or the combinations as they are given."""
    if not isinstance(factors, Mapping):
        return factors
    for name, values in factors.items():
        if isinstance(values, str) or not values:
            raise UserError(f"factors.{name}: {values!r} is no list of values: give one or more in a list")
    return (dict(zip(factors, values, strict=True)) for values in itertools.product(*factors.values()))
