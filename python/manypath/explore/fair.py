"""The fair shares of a scenario: of single-path flows, of an uncoupled control, of one pool, and of the fluid model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from manypath.errors import UserError
from manypath.explore.controls import on_the_page
from manypath.explore.moves import Cancelled, after, cancellable
from manypath.explore.pooling import pooled
from manypath.explore.state import State
from manypath.scenario import Scenario
from manypath.theory import fluid


@dataclass(frozen=True)
class Fair:
    """Fair shares of the flows.

    Attributes
    ----------
    best_path : dict
        Goodput of the multipath flow alone on each of its paths, instead of the multipath flow, Mbit/s.
    uncoupled : dict
        Goodput of the multipath flow over each path with the uncoupled control ``newreno``, Mbit/s.
    pooling : dict
        Goodput of each flow under max-min fairness over all paths, Mbit/s; empty if the rate of a link changes.
    pooling_remark : str
        Why there is no such goodput.
    fluid : dict
        Goodput of each flow in the equilibrium of the fluid model, Mbit/s; empty if the model cannot describe the
        scenario.
    fluid_remark : str
        Why there is no equilibrium.
    """

    best_path: dict[str, float]
    uncoupled: dict[str, float]
    pooling: dict[str, float]
    pooling_remark: str
    fluid: dict[str, float]
    fluid_remark: str


def fair(state: State, stop: threading.Event, progress: Callable[[float], object] = lambda _: None) -> Fair:
    """Return the fair shares; `stop` cancels their runs, and `progress` receives the number of finished ones.

    Raises
    ------
    Cancelled
        When `stop` is set.
    UserError
        If the engine refuses one of the scenarios.
    """
    best: dict[str, float] = {}
    for path, alone in _alone(state):
        best[path] = _goodput(alone, state, stop, after(len(best), progress))
    uncoupled: dict[str, float] = {}
    if state.multipath is not None:
        other = cancellable(state.with_cc(UNCOUPLED), state.seed, stop, after(len(best), progress))
        uncoupled = {path: float(rate) for path, rate in other.paths["goodput"][state.multipath].items()}
    rates, remark = _equilibrium(state)
    if stop.is_set():
        raise Cancelled
    varying = _varying(state.scenario)
    if varying:
        return Fair(best, uncoupled, {}, f"it needs links with one rate, and that of {varying} changes", rates, remark)
    return Fair(best, uncoupled, pooled(state.scenario), "", rates, remark)


def runs(state: State) -> int:
    """Return the number of runs that the fair shares need."""
    return 1 + len(state.scenario.flows[state.multipath].paths) if state.multipath is not None else 0


def _varying(scenario: Scenario) -> str:
    """Return the name of a link of some flow whose rate changes; empty without one."""
    network = scenario.network
    paths = [path for flow in scenario.flows.values() for path in flow.paths]
    crossed = dict.fromkeys(link for path in paths for link in network.paths[path].forward)
    links = {name: network.links[name] for name in crossed}
    if network.access is not None:
        links["the access links"] = network.access
    for name, link in links.items():
        if link.trace or any(event.rate is not None or event.change is not None for event in link.events):
            return name
    return ""


def _alone(state: State) -> Iterator[tuple[str, Scenario]]:
    """Yield for each path the scenario in which the multipath flow uses only this path, uncoupled."""
    if state.multipath is None:
        return
    for path in state.scenario.flows[state.multipath].paths:
        flows = dict(state.scenario.flows)
        flows[state.multipath] = flows[state.multipath].but(paths=(path,), cc=UNCOUPLED)
        yield path, state.scenario.but(flows=flows)


def _goodput(scenario: Scenario, state: State, stop: threading.Event, progress: Callable[[float], object]) -> float:
    return float(cancellable(scenario, state.seed, stop, progress).goodput[str(state.multipath)])


def _equilibrium(state: State) -> tuple[dict[str, float], str]:
    """Return the goodput of each flow in the fluid model, or why there is none."""
    try:
        model = fluid(state.scenario)
        found = model.equilibrium()
    except UserError as error:
        return {}, on_the_page(state, str(error).splitlines()[0])
    return {name: float(np.sum(rates)) * model.payload[name] * 8 / 1e6 for name, rates in found.goodput.items()}, ""


UNCOUPLED = "newreno"
"""The control without coupling between paths."""
