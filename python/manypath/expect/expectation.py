"""Expected goodput of each congestion control over described paths, by the fluid model and by a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from manypath.arguments import control, of_kind, texts, whole
from manypath.campaign import Campaign
from manypath.campaign.progress import Progress
from manypath.errors import UserError
from manypath.expect.description import MESSAGE, MSS, Description
from manypath.measurements import HOST_BUFFERS
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
    Sctp,
    Tcp,
)
from manypath.scenario import (
    Path as Route,
)
from manypath.stats import Interval, interval
from manypath.theory import Fluid, FluidLink, Unsettled, equilibrium, formula_of

FLOW = "multipath"
"""Name of the examined connection."""

PACKET = 1500
"""Size of a full packet of TCP and of SCTP, bytes."""

MEGA = 1e6
"""bit/s in one Mbit/s. Expectations have Mbit/s, their documents bit/s."""

SEED = 1
"""Seed of the simulations."""

DOES_NOT_SETTLE = "it does not converge"
"""Reason for a missing fluid value if the windows do not converge."""

DEFAULT = ("newreno", "cubic", "lia", "olia", "balia", "wvegas", "coupled", "cmt-rpv2")
"""Congestion controls that are compared by default."""


@dataclass(frozen=True)
class Theory:
    """Result of the fluid model.

    Attributes
    ----------
    goodput : mapping
        Goodput of the connection over each path, Mbit/s.
    share : float
        Its share of the goodput of all flows; 1 without other flows.
    """

    goodput: Mapping[str, float]
    share: float

    def document(self) -> dict[str, Any]:
        """Return the result as plain data for JSON; rates in bit/s."""
        return {"goodput": {path: MEGA * rate for path, rate in self.goodput.items()}, "share": self.share}


@dataclass(frozen=True)
class Expectation:
    """Expected goodput of one congestion control.

    Attributes
    ----------
    cc : str
        The congestion control.
    theory : Theory or None
        Result of the fluid model, or None.
    lack : str
        Reason for a missing result of the fluid model; else empty.
    goodput : mapping
        Simulated goodput over each path, Mbit/s.
    total, share : Interval
        Simulated goodput over all paths, and its share of the goodput of all flows, with 95 % confidence intervals.
    single : tuple of float
        95 % prediction interval of the total goodput of a single run, Mbit/s; NaN after one run.
    buffers_limit : float
        Share of the measured time for which a send or receive buffer stopped a path: the largest mean of a path.
    """

    cc: str
    theory: Theory | None
    lack: str
    goodput: Mapping[str, Interval]
    total: Interval
    share: Interval
    single: tuple[float, float]
    buffers_limit: float

    def document(self) -> dict[str, Any]:
        """Return the results as plain data for JSON; rates in bit/s, None for missing values."""
        return {
            "cc": self.cc,
            "fluid": None if self.theory is None else self.theory.document(),
            "no_fluid_because": self.lack or None,
            "simulated": {
                "goodput": {path: _plain(each, MEGA) for path, each in self.goodput.items()},
                "total": _plain(self.total, MEGA),
                "share": _plain(self.share),
                "buffers_limit": self.buffers_limit,
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
    """Return the expected goodput of a multipath connection over these paths, for each congestion control.

    Parameters
    ----------
    description
        The paths.
    cc
        Congestion controls by name.
    runs
        Replications of each simulation.
    measure
        Measured time of each simulation, after a warm-up of a fifth of it.
    seed
        Seed of the simulations.
    store, workers, progress
        As in `Campaign.run`.

    Raises
    ------
    UserError
        If a congestion control is unknown, or the simulation cannot be run.
    """
    results = campaign(description, cc, runs=runs, measure=measure, seed=seed).run(
        store=store, workers=workers, progress=progress, title="expect"
    )
    outcomes: dict[str, list[Mapping[str, Any]]] = {}
    for cell, outcome in results.outcomes:
        outcomes.setdefault(cell.factors["cc"], []).append(outcome["flows"])
    return [_expectation(name, description, outcomes[name], _span(measure) / 1e9) for name in outcomes]


def campaign(
    description: Description,
    cc: Sequence[str] = DEFAULT,
    *,
    runs: int = 10,
    measure: str | int = "100 s",
    seed: int = SEED,
) -> Campaign:
    """Return the simulations of `expect`, which has the same parameters and errors."""
    of_kind("description", description, Description, "Description(...) or Description.from_words(...)")
    runs = whole("runs", runs, "number of repetitions", least=1, below=MOST_RUNS + 1)
    cc = texts("cc", cc, "names of congestion controls")
    if not cc:
        raise UserError("cc: is empty: give one or more congestion controls")
    for name in cc:
        control("cc", name)
    span = _span(measure)
    longest = max(way.rtt for way in description.paths.values())
    if span < LEAST_ROUNDS * longest:
        raise UserError(
            f"measure: {SPAN.show(span)} is less than {LEAST_ROUNDS} of the longest round trips: "
            f"give {SPAN.show(LEAST_ROUNDS * longest)} or more"
        )
    return Campaign(
        lambda cc: scenario(description, cc).but(warmup=f"{span // 5} ns", measure=span),
        {"cc": list(dict.fromkeys(cc))},
        replications=runs,
        seed=seed,
        most=MOST_RUNS * len(cc),
    )


def scenario(description: Description, cc: str) -> Scenario:
    """Return the scenario of the connection with a congestion control, and of all other flows."""
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
    size = f"{description.host_buffer()} B"
    buffers = {"send_buffer": size, "receive_buffer": size}
    settings: dict[str, Any] = {"mss": f"{MSS} B", "app": Saturated(message=f"{MSS} B"), **buffers}
    rivals = {
        f"tcp {number} on {name}": Tcp(path=name, cc=description.tcp_cc, **settings)
        for name, way in description.paths.items()
        for number in range(1, way.tcp + 1)
    }
    paths = list(description.paths)
    if description.transport == "sctp":
        flow = Sctp(paths=paths, cc=cc, app=Saturated(message=f"{MESSAGE} B"), **buffers)
    else:
        flow = Mptcp(paths=paths, cc=cc, option_bytes=0, scheduler=description.scheduler or "lowest-rtt", **settings)
    # The given losses apply to data only.
    return Scenario(network=network.with_clean_way_back(), flows={FLOW: flow, **rivals})


def _link(description: Description, name: str) -> Link:
    rate, way = description.rate(name), description.paths.get(name)
    room = max(MIN_ROOM, round(description.drain(name) * rate / (8 * PACKET)))
    # With `min` below a third of the bandwidth-delay product, RED would keep a single flow from filling the link.
    red = Red(weight=0.002, min=room / 3, max=room, max_p=0.1, gentle=True, packets=4 * room)
    return Link(
        rate=rate,
        delay=f"{way.rtt // 2} ns" if way else 0,
        queue=red if description.queue == "red" else DropTail(packets=room),
        loss=Bernoulli(p=way.loss) if way and way.loss else NoLoss(),
        overhead=0,
    )


def _theory(description: Description, cc: str) -> tuple[Theory | None, str]:
    """Return the result of the fluid model and an empty text; or None and the reason for the missing result."""
    own, others = formula_of(cc), formula_of(description.tcp_cc)
    if own is None:
        return None, "the fluid model has no formulas of it"
    if others is None and any(way.tcp for way in description.paths.values()):
        return None, f"the fluid model has no formulas of {description.tcp_cc}, which the other connections use"
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
    payload = dict.fromkeys(flows, MSS) | {FLOW: MESSAGE if description.transport == "sctp" else MSS}
    rates = {name: 8 * payload[name] / MEGA * found.goodput[name] for name in flows}
    everything = sum(flow.count * rates[name].sum() for name, flow in flows.items())
    goodput = {name: float(rate) for name, rate in zip(ways, rates[FLOW], strict=True)}
    return Theory(goodput, share=float(rates[FLOW].sum() / everything)), ""


def _expectation(cc: str, description: Description, runs: Sequence[Mapping[str, Any]], measured: float) -> Expectation:
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
        buffers_limit=max(_stopped_by_buffers(runs, path) / measured for path in description.paths),
    )


def _stopped_by_buffers(runs: Sequence[Mapping[str, Any]], path: str) -> float:
    """Return the mean time for which a buffer of a host stopped a path, seconds."""
    times = [flows[FLOW]["paths"][path]["blocked"] for flows in runs]
    return float(np.mean([sum(time[limit] for limit in HOST_BUFFERS) for time in times]))


def _single(totals: np.ndarray) -> tuple[float, float]:
    """Return Student's t prediction interval for one more run, Mbit/s."""
    if len(totals) <= 1:
        return math.nan, math.nan
    # The interval of the mean has a factor sqrt(1 / n), that of one more run sqrt(1 + 1 / n).
    half = interval(totals).half_width * math.sqrt(len(totals) + 1)
    return max(0.0, float(totals.mean() - half)), float(totals.mean() + half)


def _span(measure: str | int) -> int:
    try:
        return SPAN.parse(measure)
    except QuantityError as error:
        raise UserError(f"measure: {error}") from None


def _plain(value: Interval, unit: float = 1.0) -> dict[str, float | None]:
    return {"mean": unit * value.mean, "half_width": None if math.isnan(value.half_width) else unit * value.half_width}


MIN_ROOM = 10
"""Smallest limit of a queue, packets."""

LEAST_ROUNDS = 10
"""Smallest number of round trips that are measured; before them, a fifth of the time is simulated."""

MOST_RUNS = 10_000
"""Largest number of replications of a simulation."""
