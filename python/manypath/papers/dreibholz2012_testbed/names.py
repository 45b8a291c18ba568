"""Names of this paper's flows and congestion controls, and rates of its links."""

from __future__ import annotations

from manypath.papers.dreibholz import FULL_PACKETS

CMT = "cmt"
"""The multipath flow, #0 of the paper."""

SINGLE = "single"
"""The single-path flow on the southern path, #1 of the paper: its reference flow."""

FLOWS = {CMT: "CMT flow", SINGLE: "single-path flow"}
"""Names of the flows in figures."""

PAYLOAD = FULL_PACKETS
"""Payload per bit on the wire."""

NORTH = 2.5
"""Rate of the northern path in the disjoint topology, Mbit/s."""
