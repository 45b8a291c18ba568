"""What each congestion control should get over described paths, two ways: the balance of fluids, and a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from manypath.arguments import whole
from manypath.campaign import Campaign
from manypath.campaign.progress import Progress
from manypath.errors import UserError
from manypath.expect.description import Description
from manypath.quantity import SPAN, QuantityError
from manypath.scenario import (
    Bernoulli,
    DropTail,
    Link,
    Mptcp,
    Network,
    NoLoss,
    Red,
    Saturated,
    Scenario,
    Tcp,
)
from manypath.scenario import (
    Path as Route,
)
from manypath.stats import Interval, interval
from manypath.theory import Fluid, FluidLink, Unsettled, equilibrium, formula_of

FLOW = "multipath"
"""Name of the connection that the question is about."""

MSS, PACKET = 1460, 1500
"""Payload of a segment, and the segment as links carry it, bytes."""

MEGA = 1e6
"""bit/s in one Mbit/s: the unit of an expectation's rates, which its document has in bit/s."""

SEED = 1
"""Seed of the simulations."""

DOES_NOT_SETTLE = "it does not settle"
"""Why there is no fluid number where windows do not come to rest."""

DEFAULT = ("newreno", "cubic", "lia", "olia", "balia", "wvegas", "coupled", "cmt-rpv2")
"""Congestion controls that are compared unless others are named."""


@dataclass(frozen=True)
class Theory:
    """What fluids say.

    Attributes
    ----------
    goodput : mapping
        Goodput of the connection over each path, Mbit/s.
    share : float
        Its part of all goodput; 1 if there is no other flow.
    """

    goodput: Mapping[str, float]
    share: float

    def document(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON: rates in bit/s."""
        return {"goodput": {path: MEGA * rate for path, rate in self.goodput.items()}, "share": self.share}


@dataclass(frozen=True)
class Expectation:
    """What one congestion control should get.

    Attributes
    ----------
    cc : str
        The congestion control.
    theory : Theory or None
        The balance of fluids; None where there is none.
    lack : str
        Why there is none; empty where there is one.
    goodput : mapping
        Simulated goodput over each path, Mbit/s.
    total, share : Interval
        Simulated goodput over all paths, and its part of all goodput, with 95 % intervals of the mean.
    single : tuple of float
        Within these bounds lies the total goodput of 95 % of single runs, Mbit/s; not a number after one run.
    """

    cc: str
    theory: Theory | None
    lack: str
    goodput: Mapping[str, Interval]
    total: Interval
    share: Interval
    single: tuple[float, float]

    def document(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON: rates in bit/s, null where there is nothing."""
        return {
            "cc": self.cc,
            "fluid": None if self.theory is None else self.theory.document(),
            "no_fluid_because": self.lack or None,
            "simulated": {
                "goodput": {path: _plain(each, MEGA) for path, each in self.goodput.items()},
                "total": _plain(self.total, MEGA),
                "share": _plain(self.share),
                "single_run": None if math.isnan(self.single[0]) else [MEGA * bound for bound in self.single],
                "runs": self.total.n,
            },
        }


def expect(
    description: Description,
    cc: Sequence[str] = DEFAULT,
    *,
    runs: int = 10,
    measure: str | int = "100 s",
    seed: int = SEED,
    store: str | Path | None = "runs",
    workers: int | None = None,
    progress: bool | Progress = True,
) -> list[Expectation]:
    """Say what a Multipath TCP connection gets over these paths under each congestion control.

    Parameters
    ----------
    description
        The paths.
    cc
        Congestion controls by name.
    runs
        Replications of each simulation.
    measure
        How long each is measured, after a fifth as much that is not.
    seed
        Seed of the simulations.
    store, workers, progress
        As `Campaign.run` has them.

    Raises
    ------
    UserError
        If a congestion control is not known, or the simulation cannot be run.
    """
    runs = whole("runs", runs, "number of repetitions", least=1)
    formulas = {name: formula_of(name) for name in dict.fromkeys(cc)}
    span = _span(measure)
    campaign = Campaign(
        lambda cc: scenario(description, cc).but(warmup=f"{span // 5} ns", measure=span),
        {"cc": list(formulas)},
        replications=runs,
        seed=seed,
    )
    results = campaign.run(store=store, workers=workers, progress=progress, title="expect")
    outcomes: dict[str, list[Mapping[str, Any]]] = {}
    for cell, outcome in results.outcomes:
        outcomes.setdefault(cell.factors["cc"], []).append(outcome["flows"])
    return [_expectation(name, description, outcomes[name]) for name in formulas]


def scenario(description: Description, cc: str) -> Scenario:
    """Return the simulated scenario: the connection with one congestion control, and all other flows."""
    links = {name: _link(description, name) for name in (*description.paths, *description.shared)}
    network = Network(
        links={**links, **{f"{name}/back": link for name, link in links.items()}},
        paths={
            name: Route(
                forward=description.links(name), reverse=[f"{link}/back" for link in reversed(description.links(name))]
            )
            for name in description.paths
        },
    )
    settings: dict[str, Any] = {"mss": f"{MSS} B", "app": Saturated(message=f"{MSS} B"), **_buffers(description)}
    rivals = {
        f"tcp {number} on {name}": Tcp(path=name, cc=description.tcp_cc, **settings)
        for name, way in description.paths.items()
        for number in range(1, way.tcp + 1)
    }
    flow = Mptcp(paths=list(description.paths), cc=cc, option_bytes=0, **settings)
    # Given losses are those of data.
    return Scenario(network=network.with_clean_way_back(), flows={FLOW: flow, **rivals})


def _link(description: Description, name: str) -> Link:
    rate, way = description.rate(name), description.paths.get(name)
    room = max(MIN_ROOM, round(description.drain(name) * rate / (8 * PACKET)))
    # Below a third of what fills the link, RED would keep a single flow from filling it.
    red = Red(weight=0.002, min=room / 3, max=room, max_p=0.1, gentle=True, packets=4 * room)
    return Link(
        rate=rate,
        delay=f"{way.rtt // 2} ns" if way else 0,
        queue=red if description.queue == "red" else DropTail(packets=room),
        loss=Bernoulli(p=way.loss) if way and way.loss else NoLoss(),
        overhead=0,
    )


def _buffers(description: Description) -> dict[str, str]:
    """Return buffers at the ends that are never in the way: four times what all paths can hold."""
    held = sum(
        (way.rtt / 1e9 + sum(description.drain(link) for link in description.links(name))) * way.rate / 8
        for name, way in description.paths.items()
    )
    size = min(max(round(4 * held), 1_000_000), 2**30)
    return {"send_buffer": f"{size} B", "receive_buffer": f"{size} B"}


def _theory(description: Description, cc: str) -> tuple[Theory | None, str]:
    """Return what fluids say where every flow has formulas and windows come to rest; else why they say nothing."""
    own, others = formula_of(cc), formula_of(description.tcp_cc)
    if own is None:
        return None, "its formulas alone do not settle it"
    if others is None and any(way.tcp for way in description.paths.values()):
        return None, f"the formulas of {description.tcp_cc} alone do not settle the other connections"
    # A full link's queue is half full on average.
    links = {
        name: FluidLink(
            rate=description.rate(name) / (8 * PACKET),
            loss=description.paths[name].loss if name in description.paths else 0.0,
            queue=description.drain(name) / 2,
        )
        for name in (*description.paths, *description.shared)
    }
    ways = description.paths
    flows = {FLOW: Fluid(own, [description.links(name) for name in ways], [way.rtt / 1e9 for way in ways.values()])}
    for name, way in ways.items():
        if way.tcp and others is not None:
            flows[f"tcp on {name}"] = Fluid(others, [description.links(name)], [way.rtt / 1e9], way.tcp)
    try:
        found = equilibrium(links, flows)
    except Unsettled:
        return None, DOES_NOT_SETTLE
    mbit = 8 * MSS / 1e6
    everything = sum(flow.count * found.goodput[name].sum() for name, flow in flows.items())
    goodput = {name: float(rate) * mbit for name, rate in zip(ways, found.goodput[FLOW], strict=True)}
    return Theory(goodput, share=float(found.goodput[FLOW].sum() / everything)), ""


def _expectation(cc: str, description: Description, runs: Sequence[Mapping[str, Any]]) -> Expectation:
    theory, lack = _theory(description, cc)
    totals = np.array([flows[FLOW]["goodput"] / MEGA for flows in runs])
    shares = [flows[FLOW]["goodput"] / max(1, sum(flow["goodput"] for flow in flows.values())) for flows in runs]
    return Expectation(
        cc=cc,
        theory=theory,
        lack=lack,
        goodput={
            path: interval([flows[FLOW]["paths"][path]["goodput"] / MEGA for flows in runs])
            for path in description.paths
        },
        total=interval(totals),
        share=interval(shares),
        single=_single(totals),
    )


def _single(totals: np.ndarray) -> tuple[float, float]:
    """Return Student's t prediction interval for one more run."""
    if len(totals) <= 1:
        return math.nan, math.nan
    half = stats.t.ppf(0.975, len(totals) - 1) * totals.std(ddof=1) * math.sqrt(1 + 1 / len(totals))
    return max(0.0, float(totals.mean() - half)), float(totals.mean() + half)


def _span(measure: str | int) -> int:
    try:
        return SPAN.parse(measure)
    except QuantityError as error:
        raise UserError(f"measure: {error}") from None


def _plain(value: Interval, unit: float = 1.0) -> dict[str, float | None]:
    return {"mean": unit * value.mean, "half_width": None if math.isnan(value.half_width) else unit * value.half_width}


MIN_ROOM = 10
"""Packets that every queue has room for."""
