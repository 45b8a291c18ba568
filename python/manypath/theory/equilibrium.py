"""Where flows settle that share links: rates at which growth and losses are in balance on every path.

A fluid has no packets, timeouts or bursts. Every link drops what exceeds its rate, the same part of every flow, and
loses a given part of the rest at random. On each path growth balances losses, or losses exceed growth and the window is
one packet, its minimum.

A loss may take more than the window (`coupled`, `cmt-rpv2`). The balance counts the whole cut, as published analyses
do: every path but the best keeps one packet. A real window is cut to one packet and grows until its next loss, so real
flows leave more on the worse paths. `manypath.ideal` has this effect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import BDF

from manypath.errors import UserError
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
        Seconds that a packet waits before it while the link is the bottleneck of a flow.
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


class Unsettled(UserError):
    """Flows whose windows find no balance."""


def equilibrium(links: Mapping[str, FluidLink], flows: Mapping[str, Fluid]) -> Equilibrium:
    """Find the windows at which growth and losses are in balance on every path.

    Queues belong to full links, and which links are full depends on the round-trip times: the queues are found by
    iteration. A link may be full without its queue and not full with it. It then has the part of its queue at which its
    load equals its rate.

    Raises
    ------
    Unsettled
        If windows or queues do not come to rest, or not within seconds of computation.
    """
    queues = {name: _Queue() for name in links}
    start, spent = None, 0
    for _ in range(ROUNDS):
        system = _System(links, flows, {name: queue.part for name, queue in queues.items()})
        rest = None if start is None else system.settle(start, AGAIN)
        if rest is None:
            rest = system.settle(_beginning(flows), EVALUATIONS - spent)
        spent += system.evaluations
        if rest is None or spent > EVALUATIONS:
            raise Unsettled("fluid: windows do not settle: simulate the scenario instead")
        found = system.equilibrium(rest)
        before = {name: queue.part for name, queue in queues.items()}
        changed = [name for name, queue in queues.items() if queue.adapt(full=name in found.full)]
        if not changed:
            return found
        # Where queues change little, little is left to do. After the change of a whole queue the integration begins
        # again: from the old rest, loads can stay at the rates of links, where it needs very small steps.
        is_near = all(abs(queues[name].part - before[name]) < 1.0 for name in changed)
        start = rest if is_near else None
    raise Unsettled(f"fluid: queues do not settle after {ROUNDS} rounds: simulate the scenario instead")


@dataclass
class _Queue:
    """The part of its full queue that a link has, and the bounds between which the right part lies, where known."""

    part: float = 0.0
    low: float = 0.0
    high: float = math.inf

    def adapt(self, *, full: bool) -> bool:
        """Move towards the part at which the link is just full; tell whether that changed the queue."""
        if full:
            self.low = self.part
        else:
            self.high = self.part
        if self.high - self.low < FINEST or (full and self.part == 1.0) or (not full and self.part == 0.0):
            # Queues of other links may still move, and this one is then looked for again.
            self.low, self.high = 0.0, math.inf
            return False
        self.part = 1.0 if self.high == math.inf else (self.low + self.high) / 2
        return True


class _System:
    """Windows of all flows in one vector, and the rules by which they move."""

    def __init__(self, links: Mapping[str, FluidLink], flows: Mapping[str, Fluid], queues: Mapping[str, float]) -> None:
        self.evaluations = 0
        """How often the motion was evaluated."""
        self._flows = flows
        self._names = list(links)
        self._rates = np.array([link.rate for link in links.values()])
        self._losses = np.array([link.loss for link in links.values()])
        crossed = [path for flow in flows.values() for path in flow.paths]
        # One row for each path of each flow, one column for each link: whether the path crosses it.
        self._crosses = np.array([[float(name in path) for name in self._names] for path in crossed])
        self._is_crossed = self._crosses > 0.0
        waiting = np.array([links[name].queue * queues[name] for name in self._names])
        self._rtts = np.concatenate([flow.rtts for flow in flows.values()]) + self._crosses @ waiting
        self._counts = np.concatenate([[flow.count] * len(flow.paths) for flow in flows.values()])
        ends = np.cumsum([len(flow.paths) for flow in flows.values()])
        self._parts = {
            name: slice(end - len(flow.paths), end) for (name, flow), end in zip(flows.items(), ends, strict=True)
        }

    def settle(self, start: Column, patience: int) -> Column | None:
        """Return the state at rest; None if about `patience` evaluations of the motion do not lead to it."""
        limit = self.evaluations + patience
        solver = BDF(self._drift, 0.0, start, LONGEST, rtol=1e-9, atol=1e-11)
        while np.abs(self._drift(solver.t, solver.y)).max() > RESIDUE:
            if solver.status != "running" or self.evaluations > limit:
                return None
            solver.step()
        return solver.y

    def equilibrium(self, logarithms: Column) -> Equilibrium:
        """Return what a state gives flows and links."""
        w = 1.0 + np.exp(logarithms)
        loss, excess = self._loss(w)
        arrived = w / self._rtts * (1 - loss)
        return Equilibrium(
            goodput={name: arrived[part] for name, part in self._parts.items()},
            loss={name: loss[part] for name, part in self._parts.items()},
            full=frozenset(name for name, over in zip(self._names, excess, strict=True) if over > 0),
        )

    def _drift(self, _time: float, logarithms: Column) -> Column:
        """Motion of the logarithms of what windows have above one packet.

        Only where it ends matters. So each window moves by how far its growth is from what losses take, as a part of
        their sum: windows of every size and links of every rate come to rest in about the same time.
        """
        self.evaluations += 1
        w = 1.0 + np.exp(logarithms)
        loss, _ = self._loss(w)
        motion = np.empty_like(w)
        for name, part in self._parts.items():
            windows, rtts = w[part], self._rtts[part]
            formula = self._flows[name].formula
            gained = (1 - loss[part]) * formula.growth(windows, rtts)
            taken = loss[part] * formula.cut(windows, rtts)
            motion[part] = (gained - taken) / (gained + taken)
        return motion * np.where(motion < 0.0, np.minimum(np.maximum(logarithms - EMPTY, 0.0), 1.0), 1.0)

    def _loss(self, w: Column) -> tuple[Column, Column]:
        """Return the loss of each path, and the part that each link drops because it is full."""
        load = self._crosses.T @ (self._counts * w / self._rtts)
        excess = np.maximum(0.0, 1.0 - self._rates / np.maximum(load, 1e-12))
        kept = (1.0 - excess) * (1.0 - self._losses)
        return 1.0 - np.where(self._is_crossed, kept, 1.0).prod(axis=1), excess


def _beginning(flows: Mapping[str, Fluid]) -> Column:
    """Return the state in which each window has ten packets."""
    return np.log(np.full(sum(len(flow.paths) for flow in flows.values()), 10.0 - 1.0))


LONGEST = 1e7
"""Time until windows rest, in units of about one doubling."""

RESIDUE = 1e-5
"""Difference of growth and losses, as a part of their sum, at which a window counts as resting."""

EMPTY = -25.0
"""Logarithm of what a window has above one packet at which it counts as one packet; it comes to rest there."""

EVALUATIONS = 40_000
"""How often the motion is evaluated in all rounds together: some seconds of work."""

AGAIN = 2000
"""How often it is evaluated from the rest of another round before the integration begins again."""

ROUNDS = 200
"""Rounds in which the queues settle."""

FINEST = 1e-3
"""Precision of a queue, as a part of the full one."""
