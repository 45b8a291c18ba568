"""Scenarios that are measured on the kernel's own stacks and simulated as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, EXACT, PACKET
from manypath.papers.gonzalez2012_mptcp.scenarios import SILENCE, a_link_fails_for_a_time
from manypath.papers.switch import hosts_with_jitter
from manypath.scenario import Link, Mptcp, Red, Scenario, Sctp, Start, Tcp, bottleneck, disjoint
from manypath.testbed.congestion import OWN


@dataclass(frozen=True)
class Comparison:
    """A scenario for each congestion control of a flow ``mptcp``.

    Attributes
    ----------
    title : str
        What it is, in one line.
    scenario : callable
        Makes the scenario of a congestion control.
    controls : tuple of str
        Congestion controls by their names in the simulator.
    """

    title: str
    scenario: Callable[[str], Scenario]
    controls: tuple[str, ...]


MPTCP, TCP = "mptcp", "tcp"
"""The flows."""

RED = Link(rate="10 Mbit/s", delay="10 ms", queue=Red(min=30, max=90, max_p=0.1, weight=0.002, packets=200), overhead=0)
"""A bottleneck that drops early and from all flows alike: behind drop-tail without delay, shares scatter widely."""

TIMESTAMPS, SEQUENCE = 12, 24
"""Bytes of options that Linux sends in every segment: timestamps, and data sequence numbers and acknowledgements."""

BUFFER = "1 MB"
"""What a flow may buffer: enough for the paths, so that congestion control alone limits it."""

FIRST, SECOND = Start(latest="0.1 s"), Start(earliest="0.5 s", latest="1.5 s")
"""When flows begin: both subflows join before the queue is full. Linux may delay an acknowledgement by as long as its
own handshake took, up to 200 ms then instead of the 40 ms simulated, and a window of one packet waits for each.
"""

WINDOW = {"warmup": "30 s", "measure": "50 s"}
"""When shares are measured: after the first slow start. Linux may repair its losses, hundreds, one by one for 25 s."""


def shared(cc: str) -> Scenario:
    """Two subflows beside one TCP, over one bottleneck."""
    return Scenario(
        network=bottleneck(RED, paths=3).but(access=None),
        flows={MPTCP: _mptcp(cc, "path1", "path2").but(start=FIRST), TCP: _tcp("path3").but(start=SECOND)},
        **WINDOW,
    )


def alone(cc: str) -> Scenario:
    """Two subflows, each with a link of its own."""
    network = disjoint(path1=RED, path2=RED).but(access=None)
    return Scenario(network=network, flows={MPTCP: _mptcp(cc, "path1", "path2")}, **WINDOW)


def while_a_link_is_down(cc: str) -> Scenario:
    """Scenario 2 of [G12] while link A, whose subflow has the largest rate, is down: what goes over B meanwhile."""
    down, up = SILENCE
    return as_real(a_link_fails_for_a_time(cc)).but(warmup=f"{down} s", measure=f"{up - down} s")


def with_control(scenario: Scenario, cc: str) -> Scenario:
    """The same scenario with this congestion control for all of its flows over several paths."""
    flows = {name: flow.but(cc=cc) if has_several_paths(flow) else flow for name, flow in scenario.flows.items()}
    return scenario.but(flows=flows)


def has_several_paths(flow: Sctp | Tcp | Mptcp) -> bool:
    """Whether a flow is of Multipath TCP, or an association over several paths."""
    return isinstance(flow, Mptcp) or (isinstance(flow, Sctp) and len(flow.paths) > 1)


def as_real(scenario: Scenario) -> Scenario:
    """A scenario of [G12] with TCP options as Linux sends them, and hosts with jitter; the paper states neither."""
    return _with(hosts_with_jitter(PACKET)(scenario), option_bytes=f"{TIMESTAMPS + SEQUENCE} B")


def _with(scenario: Scenario, **changes: Any) -> Scenario:
    flows = {name: flow.but(**changes) if isinstance(flow, Mptcp) else flow for name, flow in scenario.flows.items()}
    return scenario.but(flows=flows)


def _mptcp(cc: str, *paths: str) -> Mptcp:
    return Mptcp(
        paths=paths, cc=cc, option_bytes=f"{TIMESTAMPS + SEQUENCE} B", send_buffer=BUFFER, receive_buffer=BUFFER
    )


def _tcp(path: str) -> Tcp:
    return Tcp(path=path, option_bytes=f"{TIMESTAMPS} B", send_buffer=BUFFER, receive_buffer=BUFFER)


COMPARISONS = {
    "shared": Comparison("two subflows and one TCP behind one RED queue", shared, ("newreno", *OWN)),
    "disjoint": Comparison("two subflows, each with a link of its own", alone, ("newreno", *OWN)),
    "gonzalez2012-silence": Comparison(
        "scenario 2 of [G12] while the link of the better subflow is down", while_a_link_is_down, (APPROXIMATED, EXACT)
    ),
}
"""By name: one line for each."""
