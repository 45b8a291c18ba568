"""Facts that [D10], [D11] and [D12] share: congestion controls, and sources of settings that they do not print."""

from __future__ import annotations

PLAIN = "newreno"
"""Plain CMT: an independent congestion control on each path. `cmt` of [D11] and [D12]."""

RPV1 = "cmt-rpv1"
"""CMT/RPv1. `cmtrpv1` of [D11] and [D12], CMT/RP of [D10]."""

RPV2 = "cmt-rpv2"
"""CMT/RPv2. `cmtrpv2` of [D11] and [D12]."""

MPTCP = "mptcp-like"
"""The congestion control of MPTCP, adapted to SCTP. `like-mptcp` of [D11] and [D12]."""

COUPLED = (RPV1, RPV2, MPTCP)
"""The three coupled controls (resource pooling)."""

ALL = (PLAIN, *COUPLED)
"""The four controls that [D11] and [D12] compare."""

TITLES = {PLAIN: "plain CMT", RPV1: "CMT/RPv1", RPV2: "CMT/RPv2", MPTCP: "MPTCP-like"}
"""Their names in figures and tables."""

FULL_PACKETS = 1452.0 / 1507.0
"""Payload per bit on the wire: one message of 1452 bytes in each packet of 1500, PPP framing of 7 bytes. Of [D10] and
[D12]"""

AUTHORS = "the authors' experiment configuration for INET"
"""Source of a setting: the configuration that the authors published."""

SIMULATOR = "INET, the authors' simulator"
"""Source of a setting: the default of the simulator."""

INET = {"rtt_sample": "same-path"}
"""Rules of INET's SCTP that differ from the defaults of `Sctp`. INET takes round-trip times of a path only from SACKs
on this path; its switch against that rule, ``cmtSlowPathRTTUpdate``, is off by default."""
