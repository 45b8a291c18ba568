"""Numbers that this paper prints."""

from __future__ import annotations

from manypath.papers.dreibholz import MPTCP, RPV1, RPV2

AHEAD = {RPV2: 4.0, MPTCP: 6.0}
"""Southern rate from about which the single-path flow gets more than the CMT flow, Mbit/s ([D12] section IV-B)."""

UNBOUND = 7.0
"""Southern rate from which CMT/RPv1 violates the bounds of plain CMT, Mbit/s ([D12] section IV-B)."""

CROSSED = {**AHEAD, RPV1: UNBOUND}
"""Southern rates that the paper names for each control, Mbit/s."""
