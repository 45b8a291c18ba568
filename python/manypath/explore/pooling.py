"""Max-min fairness over all paths: the rates of flows if all capacity were one pool."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from manypath.scenario import Cbr, OnOff, Scenario, Sctp


def pooled(scenario: Scenario) -> dict[str, float]:
    """Return the goodput of each flow under max-min fairness over the forward links, Mbit/s.

    Flows may divide their rate among their paths in any way. A flow gets no more than the mean rate of its application.
    Every step raises the rate of all flows that are not yet limited, by linear programs.
    """
    pool = _Pool(scenario)
    fixed: dict[str, float] = {}
    while len(fixed) < len(scenario.flows):
        free = [name for name in scenario.flows if name not in fixed]
        level = pool.raised(fixed, free, {})
        limited = [
            name
            for name in free
            if pool.raised(fixed, [name], {each: level for each in free if each != name}) <= level * (1 + CLOSE)
        ]
        fixed |= dict.fromkeys(limited or free, level)
    return {name: fixed[name] for name in scenario.flows}


class _Pool:
    """The linear program: one variable for each flow and path, and one for the raised rate."""

    def __init__(self, scenario: Scenario) -> None:
        paths = scenario.network.paths
        self._columns = [(name, path) for name, flow in scenario.flows.items() for path in flow.paths]
        links = list(dict.fromkeys(link for _, path in self._columns for link in paths[path].forward))
        self._use = np.zeros((len(links), len(self._columns) + 1))
        for at, (name, path) in enumerate(self._columns):
            for link in paths[path].forward:
                self._use[links.index(link), at] = 1 / _efficiency(scenario, name, link)
        self._room = [scenario.network.links[link].rate / 1e6 for link in links]
        demands = {name: _demand(flow.app) for name, flow in scenario.flows.items()}
        limited = {name: demand for name, demand in demands.items() if demand is not None}
        self._use = np.vstack([self._use, *(self._row(name) for name in limited)])
        self._room += list(limited.values())

    def raised(self, fixed: dict[str, float], wanted: list[str], least: dict[str, float]) -> float:
        """Return the largest common rate of the `wanted` flows, while others keep theirs or have at `least` so much."""
        equal = [self._row(name) for name in fixed]
        total = list(fixed.values())
        for name in wanted:
            row = self._row(name)
            row[-1] = -1.0
            equal.append(row)
            total.append(0.0)
        use = np.vstack([self._use, *(-self._row(name) for name in least)])
        room = [*self._room, *(-rate * (1 - CLOSE / 1000) for rate in least.values())]
        cost = np.zeros(len(self._columns) + 1)
        cost[-1] = -1.0
        found = linprog(cost, use, room, np.vstack(equal), total)
        return 0.0 if found.x is None else float(found.x[-1])

    def _row(self, name: str) -> np.ndarray:
        return np.array([1.0 if each == name else 0.0 for each, _ in self._columns] + [0.0])


def _demand(app: Any) -> float | None:
    """Return the mean rate of an application, Mbit/s; None if it always has something to send."""
    match app:
        case Cbr():
            return app.rate / 1e6
        case OnOff():
            return app.rate / 1e6 * app.on / (app.on + app.off)
        case _:
            return None


def _efficiency(scenario: Scenario, name: str, link: str) -> float:
    """Return the payload per byte on the link in full packets."""
    flow = scenario.flows[name]
    overhead = int(scenario.network.links[link].overhead)
    if isinstance(flow, Sctp):
        return (int(flow.mtu) - SCTP_HEADERS) / (int(flow.mtu) + overhead)
    return (int(flow.mss) - int(flow.option_bytes)) / (int(flow.mss) + TCP_HEADERS + overhead)


CLOSE = 1e-6
"""Relative difference below which two rates are equal."""

SCTP_HEADERS = 48
"""Headers of a packet with one DATA chunk: IPv4, SCTP and DATA, bytes."""

TCP_HEADERS = 40
"""Headers of a segment without options: IPv4 and TCP, bytes. Options count in the MSS."""
