"""Runs the cases of a paper in a campaign, plain or with a switch. Each run is computed once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from manypath.arguments import MOST_RUNS
from manypath.campaign import Campaign, Cell, compute
from manypath.campaign.executors import Executor
from manypath.campaign.executors.local import threads_of
from manypath.campaign.progress import Progress
from manypath.errors import Stopped
from manypath.papers.curves import CurveStore
from manypath.papers.evidence import Case, Runs
from manypath.papers.experiment import Precision
from manypath.papers.paper import Paper
from manypath.papers.sampled import Sampled
from manypath.papers.stored import NotStored, Stored
from manypath.papers.switch import Switch
from manypath.papers.traces import Trace
from manypath.rows import Outcome
from manypath.scenario import Scenario

SEED = 1
"""Seed of every campaign. Seed, scenario and replication determine a run."""

K = TypeVar("K", Case, tuple[str, Case])
"""A case, or a case with the name of a switch."""

Switched = dict[str, dict[Case, Runs]]
"""Runs of the cases that each switch changes, by the name of the switch."""


@dataclass(frozen=True)
class Runner:
    """Runs cases of one paper at one precision.

    Attributes
    ----------
    paper : Paper
        The paper.
    precision : Precision
        Windows and numbers of replications.
    store : str or Path or None
        Folder of results; None stores nothing.
    progress : bool or Progress
        Whether to show progress, or the display that shows it.
    workers : int or None
        Number of threads; all cores if None.
    compute : bool
        Whether to compute runs that the store lacks; if not, `NotStored` is raised.
    executor : Executor or None
        Executor that computes the runs; threads of this machine if None.
    costs : dict
        Processor time of each different run that was requested, in seconds, by the key of the run.
    """

    paper: Paper
    precision: Precision
    store: str | Path | None = "runs"
    progress: bool | Progress = True
    workers: int | None = None
    compute: bool = True
    executor: Executor | None = None
    costs: dict[str, float] = field(default_factory=dict)

    def plain(self, cases: Iterable[Case], replications: int | None = None) -> dict[Case, Runs]:
        """Run cases without a switch, with the replications of the precision by default."""
        scenarios = {case: self.paper.experiments.scenario(case, self.precision) for case in cases}
        return self._run(scenarios, replications or self.precision.replications, self.paper.name)

    def stored(self, cases: Iterable[Case]) -> dict[Case, Runs] | None:
        """Return the runs of cases without a switch; None if the store lacks any of them."""
        try:
            return replace(self, progress=False, compute=False).plain(cases)
        except NotStored:
            return None

    def is_changed(self, switch: Switch, case: Case) -> bool:
        """Return whether a switch changes the scenario of a case."""
        plain = self.paper.experiments.scenario(case, self.precision)
        return switch.change(plain) != plain

    def switched(
        self, requests: Mapping[Switch, Iterable[Case]], what: str, replications: int | None = None
    ) -> Switched:
        """Run the cases of each switch with this switch; cases that it does not change are skipped.

        `what` is the purpose of the runs, for the title of the progress display. The replications are those of trials
        by default.
        """
        scenarios: dict[tuple[str, Case], Scenario] = {}
        for switch, cases in requests.items():
            for case in cases:
                plain = self.paper.experiments.scenario(case, self.precision)
                changed = switch.change(plain)
                if changed != plain:
                    scenarios[switch.name, case] = changed
        found: Switched = {}
        every = self._run(scenarios, replications or self.precision.trials, f"{self.paper.name}, {what}")
        for (name, case), runs in every.items():
            found.setdefault(name, {})[case] = runs
        return found

    def _run(self, scenarios: Mapping[K, Scenario], replications: int, title: str) -> dict[K, Runs]:
        """Run each scenario, and sample window curves if its experiment needs them."""
        if not scenarios:
            return {}
        names = {_name_of(key): key for key in scenarios}
        campaign = Campaign(
            lambda case: scenarios[names[case]],
            [{"case": name} for name in names],
            replications=replications,
            seed=SEED,
            most=MOST_RUNS * len(names),
        )
        sampled = Sampled(
            {scenarios[key].document(): series for key in scenarios if (series := self._series(key)) is not None},
            min(replications, self.precision.curves),
            None if self.store is None else CurveStore(Path(self.store).resolve()),
        )
        results = compute(
            campaign.cells,
            self.store,
            self.workers,
            self.progress,
            executor=self.executor if self.compute else Stored(self.paper.name, self.store),
            title=title,
            runner=sampled,
        )
        outcomes: dict[str, list[Outcome]] = {}
        for cell, text in results:
            outcome = json.loads(text)
            outcomes.setdefault(cell.factors["case"], []).append(outcome)
            self.costs[cell.key(sampled.version)] = outcome.get("cpu_seconds", 0.0)
        try:
            curves = self._traces(scenarios, sampled)
        except KeyboardInterrupt:
            kept = "" if self.store is None else f"; outcomes are kept in {self.store}"
            raise Stopped(f"stopped while windows were sampled{kept}: the same command goes on from there") from None
        return {key: Runs(outcomes[name], curves.get(key, [])) for name, key in names.items()}

    def _traces(self, scenarios: Mapping[K, Scenario], sampled: Sampled) -> dict[K, list[Trace]]:
        """Return the curves of the scenarios whose experiments need them. Missing curves are sampled."""
        jobs = [
            (key, Cell({}, document, SEED, replication))
            for key, scenario in scenarios.items()
            if self._series(key) is not None
            for document in [scenario.document()]
            for replication in range(sampled.replications)
        ]
        have = [sampled.recall(cell) for _, cell in jobs]
        if not self.compute and None in have:
            raise NotStored(have.count(None), self.paper.name, self.store, of="the window curves of ")
        if None in have and sampled.curves is not None:
            sampled.curves.check()
        found: dict[K, list[Trace]] = {}
        with ThreadPoolExecutor(threads_of(self.workers)) as threads:
            traces = threads.map(lambda number: have[number] or sampled.sample(jobs[number][1])[1], range(len(jobs)))
            for (key, _), trace in zip(jobs, traces, strict=True):
                found.setdefault(key, []).append(trace)
        return found

    def _series(self, key: Case | tuple[str, Case]) -> str | None:
        """Return the sampling interval of the experiment of a case; None without curves."""
        case = key[1] if isinstance(key, tuple) else key
        return self.paper.experiments[case.experiment].series


def _name_of(key: Case | tuple[str, Case]) -> str:
    """Return a unique name of a case and its switch."""
    return str(key) if isinstance(key, Case) else f"{key[1]} with {key[0]}"
