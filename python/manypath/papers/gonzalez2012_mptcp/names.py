"""The words of this paper for flows, paths, scenarios and congestion controls, and what they are called here."""

from __future__ import annotations

from dataclasses import dataclass

RENO = "newreno"
"""Control of the single-path flows, and of an MPTCP connection without coupling."""

APPROXIMATED = "lia-eunice"
"""The paper's implementation: linked increases whose maximum is approximated ([G12] section 3)."""

PRINTED = "lia-eunice:timeouts=ignored"
"""The same where not even a timeout tells that a subflow has fallen silent: as the paper prints it."""

EXACT = "lia"
"""Linked increases as RFC 6356 has them, with the true maximum."""

COUPLED = "coupled"
"""Increase and decrease coupled: what the paper's algorithm is not ([G12] section 2)."""

HALVES = "ewtcp"
"""Two subflows that are each half as aggressive as TCP, whatever their round-trip times: meek, but without balance."""

TITLES = {
    APPROXIMATED: "maximum approximated",
    PRINTED: "maximum approximated, timeouts ignored",
    EXACT: "exact maximum",
    COUPLED: "fully coupled",
    HALVES: "half a TCP each",
    RENO: "uncoupled",
}
"""How figures and tables call them."""

MPTCP = "mptcp"
"""The MPTCP connection, with a subflow on each path."""

TCP_A, TCP_B = "tcp-a", "tcp-b"
"""The single-path TCP connections, one on each path."""

FLOWS = {MPTCP: "MPTCP", TCP_A: "TCP on A", TCP_B: "TCP on B"}
"""How figures and tables call the flows."""

PATHS = ("a", "b")
"""The paths, and the links of the same names that each crosses."""

RIVALS = {"a": TCP_A, "b": TCP_B}
"""The single-path connection on each path."""

SEGMENT = 1448
"""Payload of one segment, bytes: 1500 on the wire with the headers and the timestamps that Linux sends."""

PACKET = 1500
"""One segment on the wire, bytes."""


@dataclass(frozen=True)
class Sheet:
    """One of the paper's scenarios ([G12] section 4.1), and what it measured with single-path TCP beside MPTCP.

    Attributes
    ----------
    rates : dict
        Rate of each link, Mbit/s.
    delays : dict
        One-way delay of all flows over each link, ms.
    throughput : dict
        Mean throughput of each flow, Mbit/s ([G12] table 1).
    experiment : str
        What shows it with single-path TCP beside MPTCP.
    """

    rates: dict[str, float]
    delays: dict[str, float]
    throughput: dict[str, float]
    experiment: str

    @property
    def total(self) -> float:
        """Rate of both links together, Mbit/s."""
        return sum(self.rates.values())

    def buffer(self, path: str) -> int:
        """Return the product of a link's rate and round-trip time in whole packets: its buffer."""
        return int(self.rates[path] * 2.0 * self.delays[path] * 1000.0 / (8.0 * PACKET))


SHEETS = {
    1: Sheet({"a": 5.0, "b": 5.0}, {"a": 50.0, "b": 50.0}, {MPTCP: 3.54, TCP_A: 3.13, TCP_B: 3.24}, "figure4"),
    2: Sheet({"a": 10.0, "b": 5.0}, {"a": 50.0, "b": 50.0}, {MPTCP: 5.73, TCP_A: 6.0, TCP_B: 3.19}, "figure5"),
    3: Sheet({"a": 5.0, "b": 5.0}, {"a": 50.0, "b": 100.0}, {MPTCP: 3.34, TCP_A: 3.56, TCP_B: 2.87}, "figure6"),
}
"""The three scenarios by number."""
