"""A made-up paper with six factors. Its rates follow from the settings of its only flow, without simulation."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manypath.papers.claim import Claims
from manypath.papers.evidence import Runs
from manypath.papers.experiment import Experiments, Precision
from manypath.papers.paper import Paper
from manypath.papers.predicates import near
from manypath.papers.reconstruction.factors import Factor
from manypath.papers.reconstruction.trials import Trials
from manypath.papers.runner import Runner
from manypath.papers.switch import Switch, every_flow
from manypath.scenario import Link, Scenario, Sctp, disjoint

SETTINGS = {
    "sacks": ("sack_every", 1),
    "path": ("sack_path", "last-data"),
    "burst": ("burst", "none"),
    "delays": ("dac", False),
    "splits": ("sfr", False),
    "demand": ("sack_immediately", False),
}
"""The field of the flow that each factor sets, and its value."""

FACTORS = tuple(
    Factor(name, f"{name} as stated", Switch(name, f"{name} changed", every_flow(**{field: value})))
    for name, (field, value) in SETTINGS.items()
)

CLAIMS = 24

Rate = Callable[[int, frozenset[str]], float]
"""A function that returns the rate in Mbit/s at a point under a setting."""


@dataclass(frozen=True, kw_only=True)
class MadeUp(Runner):
    """A runner with made-up rates and 1 % of noise, which depends only on point and replication."""

    rate: Rate

    def plain(self, cases, replications=None):
        """Run the cases. The scenario of the first case has the setting of all."""
        found = list(cases)
        changed = changes_of(self.paper.experiments.scenario(found[0], self.precision))
        return {case: self._runs(case, changed, replications or self.precision.replications) for case in found}

    def switched(self, requests, what, replications=None):
        """Run each setting. The name of its switch lists its changes."""
        assert what == "reconstruction"
        return {
            switch.name: {
                case: self._runs(case, frozenset(switch.name.split(" + ")), replications or self.precision.trials)
                for case in cases
            }
            for switch, cases in requests.items()
        }

    def _runs(self, case, changed, replications):
        noise = np.random.default_rng(zlib.crc32(str(case).encode())).standard_normal(replications)
        rates = self.rate(case["point"], changed) * 1e6 * (1.0 + 0.01 * noise)
        return Runs([{"digest": f"{rate:.3f}", "flows": {"cmt": {"goodput": rate}}} for rate in rates])


def changes_of(scenario: Scenario) -> frozenset[str]:
    """Return the names of the factors that a scenario has changed."""
    flow = scenario.flows["cmt"]
    return frozenset(name for name, (field, value) in SETTINGS.items() if getattr(flow, field) == value)


def trials(rate: Rate, printed: Callable[[int], float], factors: tuple[Factor, ...] = FACTORS) -> Trials:
    """Return the trials of a paper that prints a number for each point, with a tolerance of 10 %."""
    return Trials(MadeUp(paper(printed, factors), PRECISION, store=None, progress=False, rate=rate))


PRECISION = Precision(
    name="reconstructed",
    replications=3,
    trials=3,
    curves=0,
    warmup="1 s",
    measure="1 s",
    grids={"only": {"point": tuple(range(1, CLAIMS + 1))}},
)


def paper(printed: Callable[[int], float], factors: tuple[Factor, ...] = FACTORS) -> Paper:
    """Return the paper: one claim for each point, in four figures."""
    experiment, claim = Experiments(), Claims()

    @experiment("only")
    def scenario(point: int) -> Scenario:
        network = disjoint(first=Link(rate=f"{point} Mbit/s"), second=Link(rate="1 Mbit/s"))
        return Scenario(network=network, flows={"cmt": Sctp(paths=("first", "second"))})

    for point in range(1, CLAIMS + 1):
        claim(f"C-999-{point}", place="nowhere", says="a number", kind="number", figure=1 + point % 4)(
            lambda results, point=point: near(results.goodput("only", "cmt", point=point), printed(point))
        )
    return Paper(
        name="made_up",
        tag="X00",
        title="",
        citation="",
        summary="",
        setup=(),
        quick=PRECISION,
        full=PRECISION,
        mutated=PRECISION,
        experiments=experiment,
        figures=(),
        claims=tuple(claim.all()),
        factors=factors,
        reconstructed=PRECISION,
    )
