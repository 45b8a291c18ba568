"""The fair shares of a scenario, and the three goals of resource pooling, each with its numbers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from manypath.errors import UserError
from manypath.explore.moves import Answer, Cancelled, after, cancellable
from manypath.explore.pooling import pooled
from manypath.explore.state import State
from manypath.scenario import Scenario
from manypath.theory import fluid

Light = Literal["holds", "does not hold", "does not apply"]
"""Whether a goal is reached."""


@dataclass(frozen=True)
class Goal:
    """One goal of resource pooling.

    Attributes
    ----------
    name : str
        The goal in a few words.
    light : str
        Whether the run reached it.
    numbers : str
        The compared rates.
    rule : str
        The condition.
    """

    name: str
    light: Light
    numbers: str
    rule: str


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
    """
    best: dict[str, float] = {}
    for path, alone in _alone(state):
        best[path] = _goodput(alone, state, stop, after(len(best), progress))
    uncoupled: dict[str, float] = {}
    if state.multipath is not None:
        other = cancellable(state.with_cc(UNCOUPLED), state.seed, stop, after(len(best), progress))
        uncoupled = {path: float(rate) for path, rate in other.paths["goodput"][state.multipath].items()}
    rates, remark = _equilibrium(state.scenario)
    if stop.is_set():
        raise Cancelled
    varying = _varying(state.scenario)
    if varying:
        return Fair(best, uncoupled, {}, f"it needs links with one rate, and that of {varying} changes", rates, remark)
    return Fair(best, uncoupled, pooled(state.scenario), "", rates, remark)


def runs(state: State) -> int:
    """Return the number of runs that the fair shares need."""
    return 1 + len(state.scenario.flows[state.multipath].paths) if state.multipath is not None else 0


def goals(state: State, answer: Answer, shares: Fair) -> list[Goal]:
    """Return the goals with their lights. RFC 6356 section 2."""
    names = ("1 · improve throughput", "2 · do no harm", "3 · balance congestion")
    if state.multipath is None:
        return [Goal(name, "does not apply", "no flow uses several paths", "") for name in names]
    result = answer.result
    total = float(result.goodput[state.multipath])
    path, best = max(shares.best_path.items(), key=lambda item: item[1])
    first = Goal(
        names[0],
        _light(total >= (1 - SLACK) * best),
        f"{total:.2f} Mbit/s in total, {best:.2f} Mbit/s as a single-path flow on {path}",
        "The multipath flow gets at least as much as a single-path flow on its best path.",
    )
    if state.rival is None:
        alone = "no single-path flow shares a path"
        return [first, Goal(names[1], "does not apply", alone, ""), Goal(names[2], "does not apply", alone, "")]
    shared = _shared(state)
    own = sum(float(result.paths["goodput"][state.multipath, path]) for path in shared)
    rival, place = float(result.goodput[state.rival]), " and ".join(shared)
    second = Goal(
        names[1],
        _light(own <= (1 + SLACK) * rival),
        f"{own:.2f} Mbit/s of the multipath flow on {place}, {rival:.2f} Mbit/s of {state.rival}",
        "On a shared link the multipath flow takes no more than a single-path flow.",
    )
    if len(shared) == len(state.scenario.flows[state.multipath].paths):
        everywhere = f"all paths share a link with {state.rival}, so that no load can move away from it"
        return [first, second, Goal(names[2], "does not apply", everywhere, "")]
    without = sum(shares.uncoupled[path] for path in shared)
    third = Goal(
        names[2],
        _light(own < (1 - SLACK) * without),
        f"{own:.2f} Mbit/s on {place}, {without:.2f} Mbit/s with the uncoupled control {UNCOUPLED}",
        "The multipath flow moves load away from the shared link, compared with an uncoupled control.",
    )
    return [first, second, third]


def _shared(state: State) -> list[str]:
    """Return the paths of the multipath flow that cross a slowest link of the rival's path."""
    network, flows = state.scenario.network, state.scenario.flows
    crossed = network.paths[flows[str(state.rival)].paths[0]].forward
    slowest = min(network.links[link].rate for link in crossed)
    bottlenecks = {link for link in crossed if network.links[link].rate == slowest}
    return [path for path in flows[str(state.multipath)].paths if bottlenecks & set(network.paths[path].forward)]


def _varying(scenario: Scenario) -> str:
    """Return the name of a link of some flow whose rate changes; empty without one."""
    paths = [path for flow in scenario.flows.values() for path in flow.paths]
    for name in dict.fromkeys(link for path in paths for link in scenario.network.paths[path].forward):
        link = scenario.network.links[name]
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


def _equilibrium(scenario: Scenario) -> tuple[dict[str, float], str]:
    """Return the goodput of each flow in the fluid model, or why there is none."""
    try:
        model = fluid(scenario)
        found = model.equilibrium()
    except UserError as error:
        return {}, str(error).splitlines()[0]
    return {name: float(np.sum(rates)) * model.payload[name] * 8 / 1e6 for name, rates in found.goodput.items()}, ""


def _light(reached: bool) -> Light:
    return "holds" if reached else "does not hold"


UNCOUPLED = "newreno"
"""The control without coupling between paths."""

SLACK = 0.1
"""Tolerance of the goals, as in the papers' goals (`papers/goals.py`)."""
