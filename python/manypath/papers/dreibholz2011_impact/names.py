"""Names of this paper's flows and congestion controls, and the payload rate of its links."""

from __future__ import annotations

PLAIN = "newreno"
"""Plain CMT: an independent congestion control on each path. The paper's `cmt`."""

RPV1 = "cmt-rpv1"
"""CMT/RPv1. The paper's `cmtrpv1`."""

RPV2 = "cmt-rpv2"
"""CMT/RPv2. The paper's `cmtrpv2`."""

MPTCP = "mptcp-like"
"""The congestion control of MPTCP, adapted to SCTP. The paper's `like-mptcp`."""

COUPLED = (RPV1, RPV2, MPTCP)
"""The three coupled controls (resource pooling)."""

ALL = (PLAIN, *COUPLED)
"""The four controls that the paper compares."""

TITLES = {PLAIN: "plain CMT", RPV1: "CMT/RPv1", RPV2: "CMT/RPv2", MPTCP: "MPTCP-like"}
"""Their names in figures and tables."""

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
