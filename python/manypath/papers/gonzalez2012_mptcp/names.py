"""Names of this paper's flows, paths and congestion controls, and its three scenarios."""

from __future__ import annotations

from dataclasses import dataclass

RENO = "newreno"
"""Control of the single-path flows, and of an MPTCP connection without coupling."""

APPROXIMATED = "lia-eunice"
"""The paper's control: linked increases with an approximated maximum ([G12] section 3)."""

PRINTED = "lia-eunice:timeouts=ignored"
"""The paper's control as printed: timeouts do not update the maximum."""

EXACT = "lia"
"""Linked increases of RFC 6356, with the exact maximum."""

COUPLED = "coupled"
"""Coupled increases and decreases, unlike the paper's control ([G12] section 2)."""

HALVES = "ewtcp"
"""Two independent subflows with half the aggressiveness of TCP each, without load balancing."""

TITLES = {
    APPROXIMATED: "maximum approximated",
    PRINTED: "maximum approximated, timeouts ignored",
    EXACT: "exact maximum",
    COUPLED: "fully coupled",
    HALVES: "half a TCP each",
    RENO: "uncoupled",
}
"""Their names in figures and tables."""

MPTCP = "mptcp"
"""The MPTCP connection, with a subflow on each path."""

TCP_A, TCP_B = "tcp-a", "tcp-b"
"""The single-path TCP connections, one on each path."""

FLOWS = {MPTCP: "MPTCP", TCP_A: "TCP on A", TCP_B: "TCP on B"}
"""Names of the flows in figures and tables."""

PATHS = ("a", "b")
"""The paths; each crosses the link with the same name."""

RIVALS = {"a": TCP_A, "b": TCP_B}
"""The competing single-path connection on each path."""

SEGMENT = 1448
"""Payload of one segment, bytes: with headers and the timestamps of Linux 1500 on the wire."""

PACKET = 1500
"""One segment on the wire, bytes."""


@dataclass(frozen=True)
class Sheet:
    """One of the paper's scenarios ([G12] section 4.1), and the throughput with single-path TCP as cross traffic.

    Attributes
    ----------
    rates : dict
        Rate of each link, Mbit/s.
    delays : dict
        One-way delay of all flows over each link, ms.
    throughput : dict
        Mean throughput of each flow, Mbit/s ([G12] table 1).
    experiment : str
        The experiment that runs it with cross traffic.
    """

    rates: dict[str, float]
    delays: dict[str, float]
    throughput: dict[str, float]
    experiment: str

    @property
    def total(self) -> float:
        """Sum of the rates of both links, Mbit/s."""
        return sum(self.rates.values())

    def buffer(self, path: str) -> int:
        """Return the buffer of a link: its bandwidth-delay product in whole packets."""
        return int(self.rates[path] * 2.0 * self.delays[path] * 1000.0 / (8.0 * PACKET))


SHEETS = {
    1: Sheet({"a": 5.0, "b": 5.0}, {"a": 50.0, "b": 50.0}, {MPTCP: 3.54, TCP_A: 3.13, TCP_B: 3.24}, "figure4"),
    2: Sheet({"a": 10.0, "b": 5.0}, {"a": 50.0, "b": 50.0}, {MPTCP: 5.73, TCP_A: 6.0, TCP_B: 3.19}, "figure5"),
    3: Sheet({"a": 5.0, "b": 5.0}, {"a": 50.0, "b": 100.0}, {MPTCP: 3.34, TCP_A: 3.56, TCP_B: 2.87}, "figure6"),
}
"""The three scenarios by number."""
