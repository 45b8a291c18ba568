"""Names of this paper's mechanisms, paths and flows, and the payload rate of its links."""

from __future__ import annotations

PLAIN = "newreno"
"""Plain CMT: an independent congestion control on each path."""

RP = "cmt-rpv1"
"""CMT/RP in its first version, the only one when the paper was written."""

CONTROLS = (PLAIN, RP)
"""The two congestion controls that the paper compares."""

TITLES = {PLAIN: "plain CMT", RP: "CMT/RP"}
"""Their names in figures and tables."""

CMT = "cmt"
"""The multipath flow, the only flow in the paper's figures."""

RIVAL = "rival"
"""A single-path flow that competes with it, in an experiment of ours."""

FIRST, SECOND = "path1", "path2"
"""The paths; the second one is varied."""

NONE, SENDER, RECEIVER, BOTH = "none", "sender", "receiver", "both"
"""Which buffers are split among the paths. The paper's Pi."""

SPLITS = (NONE, SENDER, RECEIVER, BOTH)
"""All four ways to split."""

PLOTTED, INETS = "as plotted", "INET's"
"""Settings of the comparison with INET: those of the plots of figure 4, and those of INET."""

OFF, THRESHOLD = "none", "threshold"
"""Chunk rescheduling, the paper's Psi: off, or above a threshold."""

SACK_PATHS = {"smallest-srtt": "path with the smallest RTT", "first-data": "path of the first packet"}
"""Paths of SACKs: the authors' choice, and the choice that causes most timeouts."""

PAYLOAD = 1452.0 / 1507.0
"""Payload per bit on the wire: messages of 1452 bytes in packets of 1500, PPP framing."""

PACKET = 1500
"""Bytes of a full packet."""

ALMOST_NOTHING = 0.05
"""Upper limit of a rate that the paper calls `almost zero`, as a part of the payload rate of both links."""

SIGNIFICANTLY = 1.1
"""Smallest ratio of two rates that the paper calls significantly different."""


def ideal(rate: float = 100.0, errors: float = 0.0) -> float:
    """Return the payload rate when both links are full, Mbit/s.

    Parameters
    ----------
    rate : float
        Rate of the second link, Mbit/s; the first one has 100.
    errors : float
        Bit error rate of the second link; damaged packets are sent again.
    """
    intact = (1.0 - errors) ** (8 * PACKET)
    return PAYLOAD * (100.0 + rate * intact)
