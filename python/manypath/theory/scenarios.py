"""Conversion of scenarios to the fluid model."""

from __future__ import annotations

from dataclasses import dataclass

from manypath.errors import UserError
from manypath.scenario import (
    Bernoulli,
    CoDel,
    FqCoDel,
    Link,
    Mptcp,
    NoLoss,
    Pie,
    Red,
    Saturated,
    Scenario,
    Sctp,
    Tcp,
)
from manypath.theory.equilibrium import Equilibrium, Fluid, FluidLink, equilibrium
from manypath.theory.formulas import formula_of


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
    the target. Access links are infinitely fast. Losses of acknowledgements are ignored.

    Raises
    ------
    UserError
        If the model cannot describe the scenario; the message has the field, its value, and the valid alternatives.
    """
    packets = {name: _packet(name, flow) for name, flow in scenario.flows.items()}
    packet = max(packets.values())
    if min(packets.values()) < packet:
        raise UserError(
            f"flows: packets have {min(packets.values())} to {packet} B: theory describes packets of one size"
        )
    flows = {name: _fluid(scenario, name, flow) for name, flow in scenario.flows.items()}
    crossed = {link for flow in flows.values() for path in flow.paths for link in path}
    links = {name: _link(name, link, packet) for name, link in scenario.network.links.items() if name in crossed}
    payload = {name: _payload(flow) for name, flow in scenario.flows.items()}
    return Fluids(links, flows, packet, payload)


def _packet(name: str, flow: Tcp | Mptcp | Sctp) -> int:
    """Return the size of a full packet, after checking that the flow sends only those."""
    if not isinstance(flow.app, Saturated):
        raise UserError(f"flows.{name}.app: is {flow.app.kind}: theory describes saturated flows")
    if isinstance(flow, Sctp):
        size, message = flow.mtu, flow.app.message
        fills = size - SCTP_HEADERS
        if (message.min, message.max) != (fills, fills):
            raise UserError(
                f"flows.{name}.app.message: {message.min} to {message.max} B: theory describes packets that one "
                f'message fills: write "{fills} B"'
            )
        if not flow.concurrent and len(flow.paths) > 1:
            raise UserError(f"flows.{name}.concurrent: is false: theory describes flows that use all of their paths")
        return int(size)
    return int(flow.mss) + TCP_HEADERS


def _payload(flow: Tcp | Mptcp | Sctp) -> int:
    return int(flow.mtu) - SCTP_HEADERS if isinstance(flow, Sctp) else int(flow.mss) - int(flow.option_bytes)


def _fluid(scenario: Scenario, name: str, flow: Tcp | Mptcp | Sctp) -> Fluid:
    formula = formula_of(flow.cc)
    if formula is None:
        raise UserError(f"flows.{name}.cc: the fluid model has no formulas of {flow.cc}: simulate it instead")
    paths = [scenario.network.paths[path] for path in flow.paths]
    links = scenario.network.links

    def round_trip(names: tuple[str, ...]) -> float:
        return sum(links[link].delay + links[link].jitter / 2 for link in names) / 1e9

    return Fluid(
        formula,
        paths=[list(path.forward) for path in paths],
        rtts=[round_trip(path.forward) + round_trip(path.reverse) for path in paths],
    )


def _link(name: str, link: Link, packet: int) -> FluidLink:
    if link.events:
        raise UserError(f"links.{name}.events: theory describes links that do not change: leave them out")
    if not isinstance(link.loss, NoLoss | Bernoulli):
        raise UserError(f"links.{name}.loss: is {link.loss.kind}: theory describes independent losses: use bernoulli")
    loss = link.loss.p if isinstance(link.loss, Bernoulli) else 0.0
    if loss == 1.0:
        raise UserError(f"links.{name}.loss: 1 loses all packets: give a probability below 1")
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


TCP_HEADERS = 40
"""Size of the headers of a segment without options: IPv4 and TCP, bytes."""

SCTP_HEADERS = 48
"""Size of the headers of a packet with one DATA chunk: IPv4, SCTP and DATA, bytes."""
