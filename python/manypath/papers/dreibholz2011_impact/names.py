"""The words of this paper for flows, congestion controls and rates, and what they are called here."""

from __future__ import annotations

PLAIN = "newreno"
"""Plain CMT: every path on its own. The paper's `cmt`."""

RPV1 = "cmt-rpv1"
"""CMT/RPv1. The paper's `cmtrpv1`."""

RPV2 = "cmt-rpv2"
"""CMT/RPv2. The paper's `cmtrpv2`."""

MPTCP = "mptcp-like"
"""The congestion control of MPTCP carried over to SCTP. The paper's `like-mptcp`."""

POOLING = (RPV1, RPV2, MPTCP)
"""The three controls that pool resources."""

ALL = (PLAIN, *POOLING)
"""The four controls that the paper compares."""

TITLES = {PLAIN: "plain CMT", RPV1: "CMT/RPv1", RPV2: "CMT/RPv2", MPTCP: "MPTCP-like"}
"""How figures and tables call them."""

CMT = "cmt"
"""The multipath flow, #1 of the paper."""

SINGLE = "single"
"""The first single-path flow, #2 of the paper."""

FLOWS = {CMT: "CMT flow", SINGLE: "single-path flow"}
"""How figures call the flows."""

PAYLOAD = 0.948
"""Payload per bit on the wire: messages of 500 to 1452 bytes bundled into packets of 1500, PPP framing."""

UNIT = 1500.0
"""One segment of the windows, bytes: the MTU, as the authors' simulator counts."""
