"""Conversion of scenarios to the fluid model."""

from __future__ import annotations

from dataclasses import dataclass

from manypath.arguments import of_kind
from manypath.errors import UserError
from manypath.quantity import RATE
from manypath.scenario import (
    Bernoulli,
    CoDel,
    FqCoDel,
    Link,
    Mptcp,
    NoLoss,
    Path,
    Pie,
    Red,
    Saturated,
    Scenario,
    Sctp,
    Tcp,
)
from manypath.theory.equilibrium import Equilibrium, Fluid, FluidLink, equilibrium
from manypath.theory.formulas import formula_of
from manypath.theory.packets import full_packet, payload


@dataclass(frozen=True)
class Fluids:
    """A scenario in the fluid model.

    Attributes
    ----------
    links : dict
        Links on forward paths, with rates in packets per second.
    flows : dict
        Flows by name.
    packet : int
        Size of a packet on the links, bytes.
    payload : dict
        Payload of a packet of each flow, bytes.
    """

    links: dict[str, FluidLink]
    flows: dict[str, Fluid]
    packet: int
    payload: dict[str, int]

    def equilibrium(self) -> Equilibrium:
        """Return the equilibrium of the flows, in packets per second.

        Raises
        ------
        Unsettled
            If windows or queues do not converge.
        """
        return equilibrium(self.links, self.flows)


def fluid(scenario: Scenario) -> Fluids:
    """Return the fluid model of a scenario.

    The model describes saturated flows whose congestion control has formulas, over links that do not change and lose
    packets independently or not at all. It leaves out the buffers of hosts, chunks and acknowledgements. The queue of a
    full link is half full; with RED the average is midway between the thresholds, with CoDel and PIE the delay is at
    the target. Access links only add their delay, and must not be slower than the links of a path. Losses of
    acknowledgements are ignored.

    Raises
    ------
    UserError
        If the model cannot describe the scenario; the message has the field, its value, and the valid alternatives.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="5 Mbit/s", delay="10 ms")
    >>> flows = {"mptcp": mp.Mptcp(paths=["south", "north"]), "tcp": mp.Tcp(path="south")}
    >>> model = mp.theory.fluid(mp.Scenario(network=mp.disjoint(south=link, north=link), flows=flows))
    >>> {name: rate.round() for name, rate in model.equilibrium().goodput.items()}  # packets/s on each path
    {'mptcp': array([123., 415.]), 'tcp': array([292.])}
    """
    of_kind("scenario", scenario, Scenario, "the result of Scenario(...) or Scenario.from_file(...)")
    packets = {name: _packet(name, flow) for name, flow in scenario.flows.items()}
    packet = max(packets.values())
    if min(packets.values()) < packet:
        raise UserError(
            f"flows: packets have {min(packets.values())} to {packet} B: theory describes packets of one size"
        )
    flows = {name: _fluid(scenario, name, flow) for name, flow in scenario.flows.items()}
    crossed = {link for flow in flows.values() for path in flow.paths for link in path}
    links = {name: _link(name, link, packet) for name, link in scenario.network.links.items() if name in crossed}
    used = {path for flow in scenario.flows.values() for path in flow.paths}
    _check_access(scenario.network.access, max(map(scenario.network.bottleneck_rate, used)))
    return Fluids(links, flows, packet, {name: payload(flow) for name, flow in scenario.flows.items()})


def _packet(name: str, flow: Tcp | Mptcp | Sctp) -> int:
    """Return the size of a full packet, after checking that the flow sends only those."""
    if not isinstance(flow.app, Saturated):
        raise UserError(f"flows.{name}.app: is {flow.app.kind}: theory describes saturated flows")
    if isinstance(flow, Sctp):
        message, fills = flow.app.message, payload(flow)
        if (message.min, message.max) != (fills, fills):
            sizes = str(message.min) if message.min == message.max else f"{message.min} to {message.max}"
            raise UserError(
                f"flows.{name}.app.message: {sizes} B: theory describes packets that one message fills: "
                f'write "{fills} B"'
            )
        if not flow.concurrent and len(flow.paths) > 1:
            raise UserError(f"flows.{name}.concurrent: is false: theory describes flows that use all of their paths")
    return full_packet(flow)


def _fluid(scenario: Scenario, name: str, flow: Tcp | Mptcp | Sctp) -> Fluid:
    formula = formula_of(flow.cc)
    if formula is None:
        raise UserError(f"flows.{name}.cc: the fluid model has no formulas of {flow.cc}: simulate it instead")
    paths = [scenario.network.paths[path] for path in flow.paths]
    links, access = scenario.network.links, scenario.network.access
    # Both hosts have an access link in each direction.
    at_hosts = 4 * [access] if access is not None else []

    def round_trip(path: Path) -> float:
        crossed = [*(links[link] for link in (*path.forward, *path.reverse)), *at_hosts]
        return sum(link.delay + link.jitter / 2 for link in crossed) / 1e9

    return Fluid(
        formula,
        paths=[list(path.forward) for path in paths],
        rtts=[round_trip(path) for path in paths],
    )


def _check_access(access: Link | None, largest: int) -> None:
    """Refuse access links that limit flows, because the model has none.

    `largest` is the rate of the fastest path, bit/s.
    """
    if access is None:
        return
    if access.rate < largest or access.trace:
        limit = "has a trace" if access.trace else f"{RATE.show(access.rate)} is below {RATE.show(largest)} of a path"
        raise UserError(
            f"network.access: {limit}: theory describes access links that do not limit flows: give a larger rate"
        )
    if access.events or not isinstance(access.loss, NoLoss):
        what = "events" if access.events else "loss"
        raise UserError(f"network.access.{what}: theory describes access links without events and losses: leave it out")


def _link(name: str, link: Link, packet: int) -> FluidLink:
    if link.trace:
        raise UserError(f"network.links.{name}.trace: theory describes links with one rate: give a rate")
    if link.events:
        raise UserError(f"network.links.{name}.events: theory describes links that do not change: leave them out")
    if not isinstance(link.loss, NoLoss | Bernoulli):
        raise UserError(
            f"network.links.{name}.loss: is {link.loss.kind}: theory describes independent losses: use bernoulli"
        )
    loss = link.loss.p if isinstance(link.loss, Bernoulli) else 0.0
    if loss == 1.0:
        raise UserError(f"network.links.{name}.loss: 1 loses all packets: give a probability below 1")
    rate = link.rate / (8 * (packet + link.overhead))
    return FluidLink(rate, loss, _waiting(link, rate, packet))


def _waiting(link: Link, rate: float, packet: int) -> float:
    """Return the mean queueing delay of a full link, seconds."""
    queue = link.queue
    if isinstance(queue, CoDel | FqCoDel | Pie):
        return queue.target / 1e9
    if isinstance(queue, Red):
        return (queue.min + queue.max) / 2 / rate
    sizes = [room for room in (queue.packets, queue.bytes and queue.bytes / packet) if room]
    return min(sizes) / 2 / rate if sizes else 0.0
