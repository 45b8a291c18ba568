"""The designed experiment over the open settings of a paper.

First the settings of a design are run, then those in which a claim is predicted to be shown best and worst. Claims that
are still undecided get further runs in the settings that may decide them, until they are decided or the budget is used
up. The looks of all runs share an error of 5 % (`manypath.stats.looks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from manypath.papers.causes import verify
from manypath.papers.check import Check
from manypath.papers.claim import Claim
from manypath.papers.evidence import Case, Evidence
from manypath.papers.open_settings.deciding import Deciding, deciding
from manypath.papers.open_settings.setting import OpenSetting, design_of, every_combination, factors_of
from manypath.papers.open_settings.strongest import margin_of, propose
from manypath.papers.open_settings.verdict import OverVerdict, Tested, over
from manypath.papers.reconstruction.factors import AS_STATED, Combination, joined
from manypath.papers.runner import Runner
from manypath.papers.verdict import Verdict, at_level
from manypath.stats.looks import Look, plan

ROUNDS = 2
"""Number of times that settings are proposed."""

BUDGET = 8 * 3600.0
"""Limit of the processor time of further runs of a paper, in seconds."""


@dataclass(frozen=True)
class ClaimOver:
    """A claim over the settings that were run.

    Attributes
    ----------
    claim : Claim
        The statement.
    verdict : OverVerdict
        The verdict over all settings.
    tests : mapping
        The claim in each setting; the plain one is first.
    strongest, weakest : Combination
        The settings with the largest and the smallest margin.
    deciding : tuple of Deciding
        The values with a significant effect on the worst hypothesis, the largest first.
    """

    claim: Claim
    verdict: OverVerdict
    tests: Mapping[Combination, Tested]
    strongest: Combination
    weakest: Combination
    deciding: tuple[Deciding, ...]

    @property
    def plain(self) -> Check:
        """The outcome in the plain setting."""
        return self.tests[AS_STATED].check

    def count(self, verdict: Verdict) -> int:
        """Return the number of settings with a verdict."""
        return sum(tested.check.verdict == verdict for tested in self.tests.values())


@dataclass(frozen=True)
class OverSettings:
    """The claims of a paper over its open settings.

    Attributes
    ----------
    settings : tuple of OpenSetting
        The open settings.
    plausible : int
        Number of combinations of their values.
    tested : tuple of Combination
        The combinations that were run.
    claims : tuple of ClaimOver
        The claims.
    """

    settings: tuple[OpenSetting, ...]
    plausible: int
    tested: tuple[Combination, ...]
    claims: tuple[ClaimOver, ...]

    def of(self, claim: Claim) -> ClaimOver:
        """Return a claim over the settings."""
        return next(each for each in self.claims if each.claim.id == claim.id)

    def says(self, setting: Combination) -> str:
        """Return the values of a setting that differ from the plain ones, as a phrase."""
        return joined(factors_of(self.settings), setting).says or "the plain setting"


def measure(runner: Runner, settings: Sequence[OpenSetting], claims: Sequence[Claim]) -> OverSettings:
    """Decide claims over the open settings of the paper of a runner."""
    looks = plan(runner.precision.replications, runner.precision.most)
    trials = _Trials(runner, tuple(settings), tuple(claims))
    trials.run(design_of(settings), looks[0])
    for _ in range(ROUNDS):
        trials.run(propose(settings, trials.tests.values()), looks[0])
    left = BUDGET
    for look in looks[1:]:
        left -= trials.grow(look, left)
    return OverSettings(
        settings=tuple(settings),
        plausible=trials.plausible,
        tested=trials.tested,
        claims=tuple(_result(settings, claim, trials.tests[claim.id]) for claim in claims),
    )


def _result(settings: Sequence[OpenSetting], claim: Claim, tests: Mapping[Combination, Tested]) -> ClaimOver:
    margins = {setting: margin_of(tested.check) for setting, tested in tests.items()}
    weakest = min(margins, key=lambda setting: margins[setting])
    return ClaimOver(
        claim=claim,
        verdict=over(tests),
        tests=tests,
        strongest=max(margins, key=lambda setting: margins[setting]),
        weakest=weakest,
        deciding=deciding(settings, tests, weakest),
    )


@dataclass
class _Trials:
    """The claims in the settings that were run.

    One setting is run and checked after the other, because the window curves of all of them would need gigabytes.
    """

    runner: Runner
    settings: tuple[OpenSetting, ...]
    claims: tuple[Claim, ...]
    tests: dict[str, dict[Combination, Tested]] = field(default_factory=dict)
    read: dict[str, frozenset[Case]] = field(default_factory=dict)
    """The cases that each claim reads."""
    made: dict[tuple[Combination, Case], _Made] = field(default_factory=dict)
    """The runs of each case in each setting."""

    @cached_property
    def plausible(self) -> int:
        """Number of plausible settings."""
        return len(every_combination(self.settings))

    @cached_property
    def plain(self) -> Evidence:
        """The first runs of the plain setting."""
        return Evidence(self.runner.plain(self.runner.paper.experiments.cases(self.runner.precision)))

    @property
    def tested(self) -> tuple[Combination, ...]:
        """The settings that were run, the plain one first."""
        return tuple(dict.fromkeys(setting for tests in self.tests.values() for setting in tests))

    def run(self, settings: Iterable[Combination], look: Look) -> None:
        """Run settings, the plain one first, and check each claim in them."""
        if not self.tests:
            self._check(AS_STATED, self.plain, self.claims, look)
        cases = frozenset[Case]().union(*self.read.values())
        for setting in settings:
            if setting not in self.tested:
                self._check(setting, self._view(setting, cases, look.runs), self.claims, look)

    def grow(self, look: Look, budget: float) -> float:
        """Add runs for undecided claims, those with the cheapest runs first; returns the processor time."""
        wanted = {
            claim.id: self._wanted(claim.id) for claim in self.claims if over(self.tests[claim.id]) == "undecided"
        }
        costs = {name: self._costs(name, settings, look) for name, settings in wanted.items()}
        chosen: dict[tuple[Combination, Case], float] = {}
        growing: dict[Combination, list[Claim]] = {}
        for claim in sorted(
            (claim for claim in self.claims if claim.id in costs), key=lambda it: sum(costs[it.id].values())
        ):
            more = {key: cost for key, cost in costs[claim.id].items() if key not in chosen}
            if costs[claim.id] and sum(chosen.values()) + sum(more.values()) <= budget:
                chosen.update(more)
                for setting in wanted[claim.id]:
                    growing.setdefault(setting, []).append(claim)
        for setting, claims in growing.items():
            cases = frozenset[Case]().union(*(self.read[claim.id] for claim in claims))
            self._check(setting, self._view(setting, cases, look.runs), claims, look)
        return sum(chosen.values())

    def _wanted(self, name: str) -> list[Combination]:
        """Return the settings in which further runs may decide a claim.

        If it is shown in one and contradicted in another one, these are the strongest and the weakest setting, which
        need more certainty. Else they are those in which it is undecided.
        """
        tests = self.tests[name]
        verdicts = {tested.check.verdict for tested in tests.values()}
        if {"holds", "contradicted"} <= verdicts:
            margins = {setting: margin_of(tested.check) for setting, tested in tests.items()}
            return [max(margins, key=lambda each: margins[each]), min(margins, key=lambda each: margins[each])]
        return [setting for setting, tested in tests.items() if tested.check.verdict == "undecided"]

    def _costs(self, name: str, settings: Iterable[Combination], look: Look) -> dict[tuple[Combination, Case], float]:
        """Estimate the processor time of the runs that a claim lacks at a look, in seconds."""
        keys = [(setting, case) for setting in settings for case in self.read[name]]
        return {key: self.made[key].seconds * max(0, look.runs - self.made[key].runs) for key in keys}

    def _view(self, setting: Combination, cases: Iterable[Case], replications: int) -> Evidence:
        """Run cases in a setting. A case that it does not change has the plain runs."""
        switch = joined(factors_of(self.settings), setting)
        changed = self.runner.switched({switch: cases}, "open settings", replications).get(switch.name, {})
        have = self.plain.first(replications)
        found = {case: changed.get(case) or have.runs(case) for case in cases}
        missing = [case for case, runs in found.items() if len(runs.outcomes) < replications]
        return Evidence({**found, **(self.runner.plain(missing, replications) if missing else {})})

    def _check(self, setting: Combination, evidence: Evidence, claims: Iterable[Claim], look: Look) -> None:
        """Check claims at the level of a look, and at that divided by the number of plausible settings."""
        for case in evidence.cases():
            self.made[setting, case] = _Made(look.runs, evidence.cost(case, look.runs + 1))
        for claim in claims:
            with at_level(look.level):
                found = verify(claim, evidence)
            with at_level(look.level / self.plausible):
                sure = verify(claim, evidence)
            self.read.setdefault(claim.id, found.read)
            tests = self.tests.setdefault(claim.id, {})
            new = Tested(setting, found.check, sure.check.verdict)
            tests[setting] = tests[setting].after(new) if setting in tests else new


@dataclass(frozen=True)
class _Made:
    """The runs of a case in a setting, and the processor time of one of them in seconds."""

    runs: int
    seconds: float
