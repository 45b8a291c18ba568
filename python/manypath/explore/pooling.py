"""Max-min fairness over all paths: the rates of flows if all capacity were one pool."""

from __future__ import annotations

from typing import Any

import numpy as np

from manypath.scenario import Cbr, OnOff, Scenario, Sctp
from manypath.theory.packets import DATA_HEADER, common_headers, full_packet, payload


def pooled(scenario: Scenario) -> dict[str, float]:
    """Return the goodput of each flow under max-min fairness over the forward links and the access links, Mbit/s.

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
                overhead = int(scenario.network.links[link].overhead)
                self._use[links.index(link), at] = 1 / _efficiency(scenario.flows[name], overhead)
        self._room = [scenario.network.links[link].rate / 1e6 for link in links]
        self._limit_by_access(scenario)
        demands = {name: demand(flow.app) for name, flow in scenario.flows.items()}
        limited = {name: rate for name, rate in demands.items() if rate is not None}
        self._use = np.vstack([self._use, *(self._row(name) for name in limited)])
        self._room += list(limited.values())

    def _limit_by_access(self, scenario: Scenario) -> None:
        """Add the access links that are slower than their paths: each host has one for each path."""
        network, access = scenario.network, scenario.network.access
        if access is None:
            return
        rows = []
        for at, (name, path) in enumerate(self._columns):
            if access.rate < network.bottleneck_rate(path):
                row = np.zeros(len(self._columns) + 1)
                row[at] = 1 / _efficiency(scenario.flows[name], int(access.overhead))
                rows.append(row)
        self._use = np.vstack([self._use, *rows])
        self._room += [access.rate / 1e6] * len(rows)

    def raised(self, fixed: dict[str, float], wanted: list[str], least: dict[str, float]) -> float:
        """Return the largest common rate of the `wanted` flows, while others keep theirs or have at `least` so much."""
        from scipy.optimize import linprog

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


def demand(app: Any) -> float | None:
    """Return the mean rate of an application, Mbit/s; None if it always has something to send."""
    match app:
        case Cbr():
            return app.rate / 1e6
        case OnOff():
            return app.rate / 1e6 * app.on / (app.on + app.off)
        case _:
            return None


def _efficiency(flow: Any, overhead: int) -> float:
    """Return the user data per byte on a link, with the messages of the application.

    Parameters
    ----------
    flow : Tcp, Mptcp or Sctp
        The flow.
    overhead : int
        Bytes that the link adds to each packet.
    """
    if not isinstance(flow, Sctp):
        return payload(flow) / (full_packet(flow) + overhead)
    sizes = np.linspace(int(flow.app.message.min), int(flow.app.message.max), SAMPLES).astype(int)
    return float(sum(sizes) / sum(_on_the_wire(int(size), flow, overhead) for size in sizes))


def _on_the_wire(message: int, flow: Sctp, overhead: int) -> float:
    """Return the bytes on a link for a message in packets that equal messages fill. RFC 9260 sections 6.9 and 6.10."""
    per_packet = common_headers(flow) + overhead
    room, largest = int(flow.mtu) - common_headers(flow), payload(flow)
    whole, rest = divmod(message, largest)
    total = float(whole * (per_packet + DATA_HEADER + largest))
    if rest:
        chunk = DATA_HEADER + -(-rest // 4) * 4
        total += per_packet / (room // chunk) + chunk
    return total


CLOSE = 1e-6
"""Relative difference below which two rates are equal."""

SAMPLES = 16
"""Number of sizes of messages whose mean efficiency counts, for an application with messages of different sizes."""
