"""The settings of one paper that were run, and the credits of its claims under each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from manypath.papers.causes import Verified, verify
from manypath.papers.evidence import Case, Evidence
from manypath.papers.experiment import Experiments, Precision
from manypath.papers.reconstruction.factors import AS_STATED, Combination, joined
from manypath.papers.reconstruction.fit import CreditTable
from manypath.papers.reconstruction.model import Checks
from manypath.papers.reconstruction.score import Credits, credits_of
from manypath.papers.runner import Runner
from manypath.papers.sequential import decide
from manypath.papers.switch import Switch
from manypath.scenario import Scenario
from manypath.stats.looks import plan


class Trials:
    """Runs settings of a paper, each once, and stores their credits.

    Parameters
    ----------
    runner : Runner
        The runner of the paper, with its precision for reconstructions.

    Attributes
    ----------
    claims : tuple of str
        Ids of the claims with a credit.
    checks : dict
        The outcome of each claim under each setting.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.factors = runner.paper.factors
        self._evidence = Evidence(runner.plain(runner.paper.experiments.cases(runner.precision)))
        plain = [verify(claim, self._evidence) for claim in runner.paper.claims]
        self._read: set[Case] = set().union(*(item.read for item in plain))
        self.claims = tuple(credits_of(plain))
        self._credits: dict[Combination, Credits] = {}
        self.checks: dict[Combination, Checks] = {}
        self._keep(AS_STATED, plain)

    @property
    def table(self) -> CreditTable:
        """The credits under every setting that was run."""
        return CreditTable(self.factors, dict(self._credits))

    @property
    def runs(self) -> int:
        """Number of runs of all settings."""
        trials = sum(len(runs.outcomes) for _, _, runs in self._evidence.trials())
        return trials + sum(len(self._evidence.runs(case).outcomes) for case in self._evidence.cases())

    @property
    def digest(self) -> str:
        """SHA-256 over the digests of all runs."""
        return sha256("\n".join(self._evidence.digests()).encode()).hexdigest()

    def run(self, settings: Iterable[Combination]) -> None:
        """Run the settings that were not run, in one campaign."""
        new = {each: joined(self.factors, each) for each in settings if each not in self._credits}
        if not new:
            return
        switched = self.runner.switched(dict.fromkeys(new.values(), self._read), "reconstruction")
        self._evidence = self._evidence.along_with(switched)
        for setting, switch in new.items():
            view = self._evidence.under(switch.name)
            self._keep(setting, [verify(claim, view) for claim in self.runner.paper.claims])

    def _keep(self, setting: Combination, items: list[Verified]) -> None:
        found = credits_of(items)
        self._credits[setting] = {number: found.get(number, 0.0) for number in self.claims}
        self.checks[setting] = {item.claim.id: item.check for item in items}


def decided(runner: Runner, setting: Combination) -> tuple[list[Verified], Evidence]:
    """Decide all claims under a setting, with the looks and the budget of the precision of the runner.

    Returns the claims, and the runs.
    """
    paper, precision = runner.paper, runner.precision
    if setting:
        switch = joined(paper.factors, setting)
        runner = replace(runner, paper=replace(paper, experiments=Changed(paper.experiments, switch)))
    evidence = Evidence(runner.plain(paper.experiments.cases(precision)))
    looks = plan(precision.replications, precision.most)
    return decide(paper.claims, evidence, looks, runner.plain, precision.budget)


class Changed(Experiments):
    """The experiments of a paper with a switch applied to each scenario."""

    def __init__(self, plain: Experiments, switch: Switch) -> None:
        self._by_name = {experiment.name: experiment for experiment in plain.all()}
        self._plain, self._switch = plain, switch

    def scenario(self, case: Case, precision: Precision) -> Scenario:
        """Build the changed scenario of one point."""
        return self._switch.change(self._plain.scenario(case, precision))
