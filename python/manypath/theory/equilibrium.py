"""Equilibrium of flows in a fluid model: rates at which window growth balances losses on every path.

The fluid model has no packets, timeouts or bursts. A link drops the traffic beyond its rate, with the same share of
every flow, and loses a given share of the rest at random. In equilibrium, growth balances losses on each path, or
losses exceed growth and the window has its minimum of one packet.

A decrease may be larger than the window (`coupled`, `cmt-rpv2`). The model counts the whole decrease, as published
analyses do: every path except the best has a window of one packet. A real window decreases to one packet and grows
until its next loss, so real flows send more on the worse paths. `manypath.ideal` has this effect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manypath.arguments import items, known, number, of_kind, positive, table, texts, whole
from manypath.errors import UserError, quoted
from manypath.theory.formulas import Column, Formula


@dataclass(frozen=True)
class FluidLink:
    """A link.

    Attributes
    ----------
    rate : float
        Capacity, packets per second.
    loss : float
        Probability that a packet is lost, independent of the load.
    queue : float
        Queueing delay while the link is full, seconds.
    """

    rate: float
    loss: float = 0.0
    queue: float = 0.0

    def __post_init__(self) -> None:
        """Refuse wrong fields."""
        positive("rate", self.rate)
        if not 0 <= number("loss", self.loss) <= 1:
            raise UserError(f"loss: {quoted(self.loss)} is no probability: give 0 to 1")
        if not 0 <= number("queue", self.queue) < math.inf:
            raise UserError(f"queue: {quoted(self.queue)} is no delay in seconds: give 0 or more")


@dataclass(frozen=True)
class Fluid:
    """A flow, or several identical flows.

    Attributes
    ----------
    formula : Formula
        Formulas of its congestion control.
    paths : sequence
        For each path the names of its links.
    rtts : sequence of float
        Round-trip time of each path without queues, seconds.
    count : int
        Number of flows.
    """

    formula: Formula
    paths: Sequence[Sequence[str]]
    rtts: Sequence[float]
    count: int = 1

    def __post_init__(self) -> None:
        """Refuse wrong fields."""
        of_kind("formula", self.formula, Formula, 'one of manypath.theory.FORMULAS, such as FORMULAS["lia"]')
        paths = items("paths", self.paths, 'for each path the names of its links, such as [["south"], ["north"]]')
        for place, path in enumerate(paths):
            if not texts(f"paths[{place}]", items(f"paths[{place}]", path, "names of links"), "names of links"):
                raise UserError(f"paths[{place}]: is empty: give one link or more")
        rtts = items("rtts", self.rtts, "seconds for each path, such as [0.1, 0.2]")
        for place, rtt in enumerate(rtts):
            if not 0 <= number(f"rtts[{place}]", rtt) < math.inf:
                raise UserError(f"rtts[{place}]: {quoted(rtt)} is no time in seconds: give 0 or more")
        if not paths or len(rtts) != len(paths):
            raise UserError(f"rtts: there are {len(rtts)} of them, and paths has {len(paths)}: give one for each path")
        whole("count", self.count, "number of flows", least=1)


@dataclass(frozen=True)
class Equilibrium:
    """Equilibrium of flows.

    Attributes
    ----------
    goodput : mapping
        Goodput over each path, packets per second; for one flow of each kind.
    loss : mapping
        Probability of a loss on each path, for each kind of flow.
    full : frozenset
        Names of full links.
    """

    goodput: Mapping[str, Column]
    loss: Mapping[str, Column]
    full: frozenset[str]


class Unsettled(UserError):
    """The iteration for an equilibrium did not converge."""


def equilibrium(links: Mapping[str, FluidLink], flows: Mapping[str, Fluid]) -> Equilibrium:
    """Find the windows at which growth balances losses on every path.

    Full links have queues, and queues increase round-trip times, which determine the full links: so queues are found
    by iteration. A link may be full without its queue and not full with it. Then it has the share of its queue at which
    its load equals its rate.

    Raises
    ------
    UserError
        If there are no flows, or a link of a flow does not exist.
    Unsettled
        If windows or queues do not converge within some seconds of computation.

    Examples
    --------
    >>> import manypath as mp
    >>> links = {"south": mp.theory.FluidLink(rate=400), "north": mp.theory.FluidLink(rate=100, loss=0.01)}
    >>> flow = mp.theory.Fluid(mp.theory.formula_of("newreno"), paths=[["south"], ["north"]], rtts=[0.1, 0.2])
    >>> found = mp.theory.equilibrium(links, {"cmt": flow})
    >>> found.goodput["cmt"].round(), found.full  # packets/s
    (array([400.,  70.]), frozenset({'south'}))
    """
    links = table("links", links, FluidLink, 'links by name, such as {"south": FluidLink(rate=400)}')
    flows = table("flows", flows, Fluid, 'flows by name, such as {"cmt": Fluid(...)}')
    if not flows:
        raise UserError("flows: is empty: give one or more")
    for flow, fluid in flows.items():
        for link in {name for path in fluid.paths for name in path}:
            known(f"flows.{flow}.paths", link, links, "link")
    queues = {name: _Queue() for name in links}
    start, spent = None, 0
    for _ in range(ROUNDS):
        system = _System(links, flows, {name: queue.part for name, queue in queues.items()})
        rest = None if start is None else system.settle(start, AGAIN)
        if rest is None:
            rest = system.settle(_beginning(flows), EVALUATIONS - spent)
        spent += system.evaluations
        if rest is None or spent > EVALUATIONS:
            raise Unsettled("fluid: windows do not converge: simulate the scenario instead")
        found = system.equilibrium(rest)
        before = {name: queue.part for name, queue in queues.items()}
        changed = [name for name, queue in queues.items() if queue.adapt(full=name in found.full)]
        if not changed:
            return found
        # After small changes of queues, the old equilibrium is a good start. After the change of a whole queue, the
        # integration starts again: from the old equilibrium, loads can stay at link rates, which needs small steps.
        is_near = all(abs(queues[name].part - before[name]) < 1.0 for name in changed)
        start = rest if is_near else None
    raise Unsettled(f"fluid: queues do not converge in {ROUNDS} rounds: simulate the scenario instead")


@dataclass
class _Queue:
    """The occupied share of a link's full queue, and bounds of the solution."""

    part: float = 0.0
    low: float = 0.0
    high: float = math.inf

    def adapt(self, *, full: bool) -> bool:
        """Move towards the share at which the link is just full; return whether the queue changed."""
        if full:
            self.low = self.part
        else:
            self.high = self.part
        if self.high - self.low < FINEST or (full and self.part == 1.0) or (not full and self.part == 0.0):
            # Queues of other links may still change, and then the search for this one starts again.
            self.low, self.high = 0.0, math.inf
            return False
        self.part = 1.0 if self.high == math.inf else (self.low + self.high) / 2
        return True


class _System:
    """Windows of all flows in one vector, and their differential equations."""

    def __init__(self, links: Mapping[str, FluidLink], flows: Mapping[str, Fluid], queues: Mapping[str, float]) -> None:
        self.evaluations = 0
        """Number of evaluations of the derivative."""
        self._flows = flows
        self._names = list(links)
        self._rates = np.array([link.rate for link in links.values()])
        self._losses = np.array([link.loss for link in links.values()])
        crossed = [path for flow in flows.values() for path in flow.paths]
        # One row for each path of each flow, one column for each link: 1 if the path crosses the link, else 0.
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
        """Return the stationary state; None if about `patience` evaluations of the derivative do not reach it."""
        from scipy.integrate import BDF

        limit = self.evaluations + patience
        solver = BDF(self._drift, 0.0, start, LONGEST, rtol=1e-9, atol=1e-11)
        while np.abs(self._drift(solver.t, solver.y)).max() > RESIDUE:
            if solver.status != "running" or self.evaluations > limit:
                return None
            solver.step()
        return solver.y

    def equilibrium(self, logarithms: Column) -> Equilibrium:
        """Return the goodput, losses and full links in a state."""
        w = 1.0 + np.exp(logarithms)
        loss, excess = self._loss(w)
        arrived = w / self._rtts * (1 - loss)
        return Equilibrium(
            goodput={name: arrived[part] for name, part in self._parts.items()},
            loss={name: loss[part] for name, part in self._parts.items()},
            full=frozenset(name for name, over in zip(self._names, excess, strict=True) if over > 0),
        )

    def _drift(self, _time: float, logarithms: Column) -> Column:
        """Return the derivative of the state, which is the logarithm of each window minus one packet.

        Only the stationary state matters. So the derivative is the difference of growth and decrease as a share of
        their sum, with which windows of every size and links of every rate converge in about the same time.
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
        """Return the loss probability of each path, and the share that each link drops because it is full."""
        load = self._crosses.T @ (self._counts * w / self._rtts)
        excess = np.maximum(0.0, 1.0 - self._rates / np.maximum(load, 1e-12))
        kept = (1.0 - excess) * (1.0 - self._losses)
        return 1.0 - np.where(self._is_crossed, kept, 1.0).prod(axis=1), excess


def _beginning(flows: Mapping[str, Fluid]) -> Column:
    """Return the initial state, with windows of ten packets."""
    return np.log(np.full(sum(len(flow.paths) for flow in flows.values()), 10.0 - 1.0))


LONGEST = 1e7
"""Longest integration time, in units of about one doubling of a window."""

RESIDUE = 1e-5
"""Relative difference of growth and decrease at which a window counts as stationary."""

EMPTY = -25.0
"""Lower limit of the state: a window this close to one packet counts as one packet."""

EVALUATIONS = 40_000
"""Largest number of evaluations in all rounds: some seconds of CPU time."""

AGAIN = 2000
"""Largest number of evaluations from the equilibrium of the previous round."""

ROUNDS = 200
"""Largest number of rounds of the iteration for queues."""

FINEST = 1e-3
"""Precision of a queue, as a share of the full queue."""
