"""Scenarios that are measured on the kernel's stacks and simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from manypath.arguments import text, texts
from manypath.errors import UserError, quoted
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, EXACT, PACKET
from manypath.papers.gonzalez2012_mptcp.scenarios import SILENCE, a_link_fails_for_a_time
from manypath.papers.switch import hosts_with_jitter
from manypath.scenario import Link, Mptcp, Red, Scenario, Sctp, Start, Tcp, bottleneck, disjoint
from manypath.testbed.congestion import OWN


@dataclass(frozen=True)
class ComparedScenario:
    """A scenario that is run once for each congestion control of its multipath flows.

    Attributes
    ----------
    title : str
        Description of the scenario in one line.
    scenario : callable
        Returns the scenario for the name of a congestion control.
    controls : tuple of str
        Congestion controls by their names in the simulator.
    """

    title: str
    scenario: Callable[[str], Scenario]
    controls: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse wrong fields."""
        text("title", self.title, "a description in one line")
        if not callable(self.scenario):
            raise UserError(f"scenario: {quoted(self.scenario)} cannot be called: give a function of a control's name")
        texts("controls", self.controls, "names of congestion controls")


MPTCP, TCP = "mptcp", "tcp"
"""Names of the flows."""

RED = Link(rate="10 Mbit/s", delay="10 ms", queue=Red(min=30, max=90, max_p=0.1, weight=0.002, packets=200), overhead=0)
"""A bottleneck with RED, which drops packets of all flows with equal probability. With a drop-tail queue and no
propagation delay, the shares of the flows vary widely.
"""

TIMESTAMPS, SEQUENCE = 12, 24
"""Bytes of options that Linux sends in every segment: timestamps, and data sequence numbers and acknowledgements."""

BUFFER = "1 MB"
"""Size of the send buffer and of the receive buffer of a flow. Only congestion control limits the flow then."""

FIRST, SECOND = Start(latest="0.1 s"), Start(earliest="0.5 s", latest="1.5 s")
"""Starting times of the MPTCP flow and of the TCP flow: both subflows join before the queue is full.

Linux may delay an acknowledgement by the duration of the handshake, which is up to 200 ms with a full queue. The
simulated delay is 40 ms. A sender with a window of one packet waits for each delayed acknowledgement.
"""

WINDOW = {"warmup": "30 s", "measure": "50 s"}
"""Transient and measured window. After the first slow start, Linux may retransmit hundreds of lost packets one at a
time, which takes up to 25 s.
"""


def shared(cc: str) -> Scenario:
    """Return two subflows beside one TCP connection, over one bottleneck."""
    return Scenario(
        network=bottleneck(RED, paths=3).but(access=None),
        flows={MPTCP: _mptcp(cc, "path1", "path2").but(start=FIRST), TCP: _tcp("path3").but(start=SECOND)},
        **WINDOW,
    )


def alone(cc: str) -> Scenario:
    """Return two subflows over disjoint links."""
    network = disjoint(path1=RED, path2=RED).but(access=None)
    return Scenario(network=network, flows={MPTCP: _mptcp(cc, "path1", "path2")}, **WINDOW)


def while_a_link_is_down(cc: str) -> Scenario:
    """Return scenario 2 of [G12], measured while link A is down. The subflow over link A has the largest rate."""
    down, up = SILENCE
    return as_real(a_link_fails_for_a_time(cc)).but(warmup=f"{down} s", measure=f"{up - down} s")


def with_control(scenario: Scenario, cc: str) -> Scenario:
    """Return the scenario with this congestion control for all of its flows over several paths."""
    flows = {name: flow.but(cc=cc) if has_several_paths(flow) else flow for name, flow in scenario.flows.items()}
    return scenario.but(flows=flows)


def has_several_paths(flow: Sctp | Tcp | Mptcp) -> bool:
    """Whether a flow is a Multipath TCP connection, or an SCTP association over several paths."""
    return isinstance(flow, Mptcp) or (isinstance(flow, Sctp) and len(flow.paths) > 1)


def as_real(scenario: Scenario) -> Scenario:
    """Return a scenario of [G12] with the TCP options of Linux and with host jitter; the paper specifies neither."""
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
    "shared": ComparedScenario("two subflows and one TCP share one RED queue", shared, ("newreno", *OWN)),
    "disjoint": ComparedScenario("two subflows, each with a link of its own", alone, ("newreno", *OWN)),
    "gonzalez2012-silence": ComparedScenario(
        "scenario 2 of [G12] while the link of the better subflow is down", while_a_link_is_down, (APPROXIMATED, EXACT)
    ),
}
"""Comparisons by name."""
