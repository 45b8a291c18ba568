"""Numbers that this paper prints."""

from __future__ import annotations

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2011_impact.names import CMT, PAYLOAD, SINGLE
from manypath.papers.printed import Printed

EIGHT_PATHS = {"cc": PLAIN, "paths": 8}
EIGHT_NINTHS = Printed("VI-A", 10.0 * PAYLOAD * 8.0 / 9.0, "figure2-right", CMT, EIGHT_PATHS)
"""`8/9` of a link of 10 Mbit/s."""

ONE_NINTH = Printed("VI-A", 10.0 * PAYLOAD / 9.0, "figure2-right", SINGLE, EIGHT_PATHS)
"""`About 1 Mbit/s` of payload: the remaining ninth, 1.05, rounded."""

RPV2_CMT = Printed("VI-B.2", 7.0, "figure4-left", CMT, {"cc": RPV2, "south": 10.0})
RPV2_SINGLE = Printed("VI-B.2", 7.0, "figure4-left", SINGLE, {"cc": RPV2, "south": 10.0})
MPTCP_CMT = Printed("VI-B.2", 9.0, "figure4-left", CMT, {"cc": MPTCP, "south": 10.0})
MPTCP_SINGLE = Printed("VI-B.2", 5.0, "figure4-left", SINGLE, {"cc": MPTCP, "south": 10.0})
"""`Slightly more than` this rate, Mbit/s."""

MPTCP_OF_NINE = Printed("VI-B.2", 7.0, "figure4-right", CMT, {"cc": MPTCP, "rivals": 8})
RPV2_OF_NINE = Printed("VI-B.2", 6.0, "figure4-right", CMT, {"cc": RPV2, "rivals": 8})

PRINTED = (
    EIGHT_NINTHS,
    ONE_NINTH,
    RPV2_CMT,
    RPV2_SINGLE,
    MPTCP_CMT,
    MPTCP_SINGLE,
    MPTCP_OF_NINE,
    RPV2_OF_NINE,
)
"""The payload rates."""

PEAKS = {"north": 70.0, "south": 30.0}
"""Largest windows of both paths under CMT/RPv1, kB (VI-C, figure 5)."""

PEAKS_OF = RPV1
"""The congestion control with these windows."""
