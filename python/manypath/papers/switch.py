"""A switch: one change of a scenario, whose effect is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from manypath.scenario import DropTail, Link, Scenario

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
    """Return a change that sets fields of every flow."""
    return lambda scenario: scenario.but(flows={name: flow.but(**settings) for name, flow in scenario.flows.items()})


def multipath_flows(**settings: Any) -> Change:
    """Return a change that sets fields of the flows with several paths."""
    return lambda scenario: scenario.but(
        flows={name: flow.but(**settings) if len(flow.paths) > 1 else flow for name, flow in scenario.flows.items()}
    )


def single_path_flows(**settings: Any) -> Change:
    """Return a change that sets fields of the flows with one path."""
    return lambda scenario: scenario.but(
        flows={name: flow.but(**settings) if len(flow.paths) == 1 else flow for name, flow in scenario.flows.items()}
    )


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
    """Let the single-path flows use every path of the multipath flow, uncoupled."""
    paths = max((flow.paths for flow in scenario.flows.values()), key=len)
    return scenario.but(flows={name: flow.but(paths=paths) for name, flow in scenario.flows.items()})
