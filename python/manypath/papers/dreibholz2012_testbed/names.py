"""Names of this paper's flows and congestion controls, and rates of its links."""

from __future__ import annotations

CMT = "cmt"
"""The multipath flow, #0 of the paper."""

SINGLE = "single"
"""The single-path flow on the southern path, #1 of the paper: its reference flow."""

FLOWS = {CMT: "CMT flow", SINGLE: "single-path flow"}
"""Names of the flows in figures."""

PAYLOAD = 1452.0 / 1507.0
"""Payload per bit on the wire: messages of 1452 bytes, one in each packet of 1500, PPP framing of 7 bytes."""

NORTH = 2.5
"""Rate of the northern path in the disjoint topology, Mbit/s."""
