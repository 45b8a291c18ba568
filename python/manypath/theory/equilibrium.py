"""Where flows settle that share links: rates at which growth and losses are in balance on every path.

A fluid has no packets, timeouts or bursts. Every link drops what exceeds its rate, the same part of every flow, and
loses a given part of the rest at random. Windows move as their formulas say until nothing moves any more; a window
keeps one packet. Chance moves real windows around this balance: a single flow under independent losses gets 7 % less
(1.31 instead of √2 over RTT √p), and controls that move everything to the better path leave more on the worse one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from manypath.theory.formulas import Column, Formula


@dataclass(frozen=True)
class FluidLink:
    """A link.

    Attributes
    ----------
    rate : float
        Packets per second that it carries.
    loss : float
        Probability that a packet is lost on it, whatever the load.
    queue : float
        Seconds that a packet waits before it while the link is the bottleneck of somebody.
    """

    rate: float
    loss: float = 0.0
    queue: float = 0.0


@dataclass(frozen=True)
class Fluid:
    """A flow, or some flows that are all alike.

    Attributes
    ----------
    formula : Formula
        Its congestion control.
    paths : sequence
        For each path the names of its links.
    rtts : sequence of float
        Round-trip time of each path without queues, seconds.
    count : int
        How many such flows there are.
    """

    formula: Formula
    paths: Sequence[Sequence[str]]
    rtts: Sequence[float]
    count: int = 1


@dataclass(frozen=True)
class Equilibrium:
    """Where the flows settled.

    Attributes
    ----------
    goodput : mapping
        For each flow, the packets per second that arrive over each path, of one flow of its kind.
    loss : mapping
        For each flow, the probability of a loss on each path.
    full : frozenset
        The links that are full.
    """

    goodput: Mapping[str, Column]
    loss: Mapping[str, Column]
    full: frozenset[str]


def equilibrium(links: Mapping[str, FluidLink], flows: Mapping[str, Fluid]) -> Equilibrium:
    """Let windows move until they stay.

    Queues belong to full links, and which are full depends on the round-trip times: the balance is found again with the
    queues that it makes until they stay the same.

    Raises
    ------
    ArithmeticError
        If windows do not come to rest.
    """
    found = _System(links, flows, frozenset()).settle()
    for _ in links:
        again = _System(links, flows, found.full).settle()
        if again.full == found.full:
            return again
        found = again
    return found


class _System:
    """Windows of all flows in one vector, and the rules by which they move."""

    def __init__(self, links: Mapping[str, FluidLink], flows: Mapping[str, Fluid], full: frozenset[str]) -> None:
        self._flows = flows
        self._names = list(links)
        self._rates = np.array([link.rate for link in links.values()])
        self._losses = np.array([link.loss for link in links.values()])
        crossed = [path for flow in flows.values() for path in flow.paths]
        # One row for each path of each flow, one column for each link: whether the path crosses it.
        self._crosses = np.array([[float(name in path) for name in self._names] for path in crossed])
        waiting = np.array([links[name].queue if name in full else 0.0 for name in self._names])
        self._rtts = np.concatenate([flow.rtts for flow in flows.values()]) + self._crosses @ waiting
        self._counts = np.concatenate([[flow.count] * len(flow.paths) for flow in flows.values()])
        ends = np.cumsum([len(flow.paths) for flow in flows.values()])
        self._parts = {
            name: slice(end - len(flow.paths), end) for (name, flow), end in zip(flows.items(), ends, strict=True)
        }

    def settle(self) -> Equilibrium:
        """Return the state at rest."""
        start = np.log(np.full(len(self._rtts), 10.0))
        solution = solve_ivp(
            self._drift, (0.0, ROUNDS), start, method="LSODA", rtol=1e-6, atol=1e-9, events=self._unrest
        )
        w = np.maximum(np.exp(solution.y[:, -1]), 1.0)
        if solution.status != AT_REST:
            raise ArithmeticError(f"windows do not come to rest after {ROUNDS:g} round trips")
        loss, excess = self._loss(w)
        arrived = w / self._rtts * (1 - loss)
        return Equilibrium(
            goodput={name: arrived[part] for name, part in self._parts.items()},
            loss={name: loss[part] for name, part in self._parts.items()},
            full=frozenset(name for name, over in zip(self._names, excess, strict=True) if over > 0),
        )

    def _drift(self, _time: float, logarithms: Column) -> Column:
        """Motion of the windows' logarithms in a round trip."""
        return self._motion(np.maximum(np.exp(logarithms), 1.0))

    def _unrest(self, _time: float, logarithms: Column) -> float:
        """Packets in a round trip by which the fastest window moves, beyond what counts as rest."""
        w = np.maximum(np.exp(logarithms), 1.0)
        return float(np.abs(self._motion(w) * w).max()) - RESIDUE

    _unrest.terminal = True  # pyright: ignore[reportFunctionMemberAccess] - how scipy is told to stop there

    def _motion(self, w: Column) -> Column:
        """By which part of itself each window grows in a round trip; none below one packet."""
        loss, _ = self._loss(w)
        motion = np.empty_like(w)
        for name, part in self._parts.items():
            windows, rtts = w[part], self._rtts[part]
            formula = self._flows[name].formula
            cut = np.minimum(formula.cut(windows, rtts), windows - 1.0)
            motion[part] = (1 - loss[part]) * formula.growth(windows, rtts) - loss[part] * cut
        return np.where((w <= 1.0) & (motion < 0.0), 0.0, motion)

    def _loss(self, w: Column) -> tuple[Column, Column]:
        """Return the loss of each path, and the part that each link drops because it is full."""
        load = self._crosses.T @ (self._counts * w / self._rtts)
        excess = np.maximum(0.0, 1.0 - self._rates / np.maximum(load, 1e-12))
        kept = (1.0 - excess) * (1.0 - self._losses)
        return 1.0 - np.prod(np.where(self._crosses > 0.0, kept, 1.0), axis=1), excess


ROUNDS = 1e6
"""Round trips after which windows rest."""

RESIDUE = 1e-6
"""Packets in a round trip by which a window at rest may still move."""

AT_REST = 1
"""How scipy says that the event came which ends an integration."""
