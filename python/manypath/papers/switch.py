"""A switch: one thing in a scenario that is done otherwise, to see what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from manypath.scenario import DropTail, Link, Scenario

Change = Callable[[Scenario], Scenario]
"""Return the changed scenario, or an equal one where there is nothing to change."""


@dataclass(frozen=True)
class Switch:
    """One thing done otherwise.

    Attributes
    ----------
    name : str
        Short name, unique within a paper.
    says : str
        What is done otherwise, as a phrase for tables.
    change : callable
        Does it.
    """

    name: str
    says: str
    change: Change


@dataclass(frozen=True)
class Mutation(Switch):
    """A wrong implementation, made by a switch.

    Attributes
    ----------
    flips : tuple of str
        Ids of the claims that must notice: where they hold without it, they must be contradicted or undecided with it.
    """

    flips: tuple[str, ...] = ()


def by_name(switches: Iterable[Switch]) -> dict[str, Switch]:
    """Return the switches by their names, which must differ."""
    named: dict[str, Switch] = {}
    for switch in switches:
        if switch.name in named:
            raise ValueError(f"switch {switch.name} is defined twice")
        named[switch.name] = switch
    return named


def every_flow(**settings: Any) -> Change:
    """Set fields of every flow."""
    return lambda scenario: scenario.but(flows={name: flow.but(**settings) for name, flow in scenario.flows.items()})


def multipath_flows(**settings: Any) -> Change:
    """Set fields of the flows that use several paths."""
    return lambda scenario: scenario.but(
        flows={name: flow.but(**settings) if len(flow.paths) > 1 else flow for name, flow in scenario.flows.items()}
    )


def single_path_flows(**settings: Any) -> Change:
    """Set fields of the flows that use one path."""
    return lambda scenario: scenario.but(
        flows={name: flow.but(**settings) if len(flow.paths) == 1 else flow for name, flow in scenario.flows.items()}
    )


def replace_control(old: str, new: str, **settings: Any) -> Change:
    """Run another congestion control (and other settings) wherever a multipath flow has the old one."""
    return lambda scenario: scenario.but(
        flows={
            name: flow.but(cc=new, **settings) if flow.cc == old and len(flow.paths) > 1 else flow
            for name, flow in scenario.flows.items()
        }
    )


def links_with(change: Callable[[Link], Link]) -> Change:
    """Change every core link."""

    def apply(scenario: Scenario) -> Scenario:
        links = {name: change(link) for name, link in scenario.network.links.items()}
        return scenario.but(network=scenario.network.but(links=links))

    return apply


def queues_of(packets: int) -> Change:
    """Give every core link a drop-tail queue of so many packets."""
    return links_with(lambda link: link.but(queue=DropTail(packets=packets)))


def hosts_with_jitter(packet: int) -> Change:
    """Let hosts, where they have wires, take up to the time of a packet on the slowest link longer each time.

    Exact hosts meet a full drop-tail queue in the same order again and again, so that one flow is spared and the other
    one pays ([F92]). Real ones are not so exact.

    Parameters
    ----------
    packet : int
        Bytes on the wire.
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
    """Let the single-path flows use every path of the multipath flow, uncoupled."""
    paths = max((flow.paths for flow in scenario.flows.values()), key=len)
    return scenario.but(flows={name: flow.but(paths=paths) for name, flow in scenario.flows.items()})
