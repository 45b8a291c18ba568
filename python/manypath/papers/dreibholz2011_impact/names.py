"""Names of this paper's flows and congestion controls, and the payload rate of its links."""

from __future__ import annotations

CMT = "cmt"
"""The multipath flow, #1 of the paper."""

SINGLE = "single"
"""The first single-path flow, #2 of the paper."""

FLOWS = {CMT: "CMT flow", SINGLE: "single-path flow"}
"""Names of the flows in figures."""

PAYLOAD = 0.948
"""Payload per bit on the wire: messages of 500 to 1452 bytes bundled into packets of 1500, PPP framing."""

UNIT = 1500.0
"""One segment of the windows, bytes: the MTU, as in the authors' simulator."""
