"""A switch: one change of a scenario, whose effect is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from manypath.scenario import DropTail, Link, Mptcp, Scenario, Sctp, Tcp

Change = Callable[[Scenario], Scenario]
"""Returns the changed scenario, or an equal one if the change does not apply."""


@dataclass(frozen=True)
class Switch:
    """One change of a scenario.

    Attributes
    ----------
    name : str
        Short name, unique within a paper.
    says : str
        Description of the change, as a phrase for tables.
    change : callable
        Function that applies the change.
    """

    name: str
    says: str
    change: Change


@dataclass(frozen=True)
class Mutation(Switch):
    """A switch that emulates a wrong implementation.

    Attributes
    ----------
    flips : tuple of str
        Ids of the claims that must detect it: a claim that holds without it must be contradicted or undecided with it.
    """

    flips: tuple[str, ...] = ()


def by_name(switches: Iterable[Switch]) -> dict[str, Switch]:
    """Return the switches by their names, which must be unique."""
    named: dict[str, Switch] = {}
    for switch in switches:
        if switch.name in named:
            raise ValueError(f"switch {switch.name} is defined twice")
        named[switch.name] = switch
    return named


def every_flow(**settings: Any) -> Change:
    """Return a change that sets fields of every flow whose transport has them."""
    return _of_flows(settings, lambda _: True)


def multipath_flows(**settings: Any) -> Change:
    """Return a change that sets fields of the flows with several paths."""
    return _of_flows(settings, lambda paths: paths > 1)


def single_path_flows(**settings: Any) -> Change:
    """Return a change that sets fields of the flows with one path."""
    return _of_flows(settings, lambda paths: paths == 1)


def _of_flows(settings: Mapping[str, Any], wanted: Callable[[int], bool]) -> Change:
    """Return a change of the flows with a wanted number of paths."""
    unknown = [name for name in settings if not any(name in each.model_fields for each in (Sctp, Tcp, Mptcp))]
    if unknown:
        raise ValueError(f"no transport has {', '.join(unknown)}")
    return lambda scenario: scenario.but(
        flows={
            name: flow.but(**_own(settings, flow)) if wanted(len(flow.paths)) else flow
            for name, flow in scenario.flows.items()
        }
    )


def _own(settings: Mapping[str, Any], flow: Sctp | Tcp | Mptcp) -> dict[str, Any]:
    """Return the settings that the transport of a flow has, by their names there."""
    known = type(flow).model_fields
    named = {name if name in known else IN_TCP.get(name, name): value for name, value in settings.items()}
    return {name: value for name, value in named.items() if name in known}


IN_TCP = {"sack_every": "ack_every"}
"""Settings of SCTP that TCP has under another name."""


def replace_control(old: str, new: str, **settings: Any) -> Change:
    """Return a change that replaces congestion control `old` of multipath flows by `new`, and sets other fields."""
    return lambda scenario: scenario.but(
        flows={
            name: flow.but(cc=new, **settings) if flow.cc == old and len(flow.paths) > 1 else flow
            for name, flow in scenario.flows.items()
        }
    )


def links_with(change: Callable[[Link], Link]) -> Change:
    """Return a change of every core link."""

    def apply(scenario: Scenario) -> Scenario:
        links = {name: change(link) for name, link in scenario.network.links.items()}
        return scenario.but(network=scenario.network.but(links=links))

    return apply


def without_access_delay(scenario: Scenario) -> Scenario:
    """Return the scenario without delay on its access links."""
    access = scenario.network.access
    return scenario if access is None else scenario.but(network=scenario.network.but(access=access.but(delay="0 ms")))


def queues_of(packets: int) -> Change:
    """Return a change that gives every core link a drop-tail queue of `packets` packets."""
    return links_with(lambda link: link.but(queue=DropTail(packets=packets)))


def hosts_with_jitter(packet: int) -> Change:
    """Return a change that adds jitter to access links: up to the time of a packet on the slowest link.

    Packets of hosts without jitter arrive at a full drop-tail queue in a constant order, so that one flow has all the
    losses ([F92]). Real hosts have jitter.

    Parameters
    ----------
    packet : int
        Size of the packet on the wire, bytes.
    """

    def apply(scenario: Scenario) -> Scenario:
        network = scenario.network
        if network.access is None:
            return scenario
        slowest = min(link.rate for link in network.links.values())
        jitter = round(8e9 * packet / slowest)
        return scenario.but(network=network.but(access=network.access.but(jitter=f"{jitter} ns")))

    return apply


def single_flows_join(scenario: Scenario) -> Scenario:
    """Let the single-path flows use every path of the multipath flow, uncoupled. A TCP flow keeps its path."""
    paths = max((flow.paths for flow in scenario.flows.values()), key=len)
    joined = {n: flow if isinstance(flow, Tcp) else flow.but(paths=paths) for n, flow in scenario.flows.items()}
    return scenario.but(flows=joined)
