"""The words of this paper for mechanisms and paths, what they are called here, and what its links can carry."""

from __future__ import annotations

PLAIN = "newreno"
"""Plain CMT: every path on its own."""

RP = "cmt-rpv1"
"""CMT/RP. Only its first version existed when the paper was written."""

CONTROLS = (PLAIN, RP)
"""The two congestion controls that the paper compares."""

TITLES = {PLAIN: "plain CMT", RP: "CMT/RP"}
"""How figures and tables call them."""

CMT = "cmt"
"""The multipath flow, alone in every figure."""

RIVAL = "rival"
"""A single-path flow beside it, in an experiment of ours."""

FIRST, SECOND = "path1", "path2"
"""The paths; the second one is varied."""

NONE, SENDER, RECEIVER, BOTH = "none", "sender", "receiver", "both"
"""Which buffers are split among the paths. The paper's Pi."""

SPLITS = (NONE, SENDER, RECEIVER, BOTH)
"""All of them."""

PLOTTED, INETS = "as plotted", "INET's"
"""Settings beside INET: those of the plots of figure 4, and its own."""

OFF, THRESHOLD = "none", "threshold"
"""Chunk rescheduling. The paper's Psi."""

SACK_PATHS = {"smallest-srtt": "path with the smallest RTT", "first-data": "path of the first packet"}
"""Where SACKs go: the authors' choice, and the one that lets most timeouts happen."""

PAYLOAD = 1452.0 / 1507.0
"""Payload per bit on the wire: messages of 1452 bytes in packets of 1500, PPP framing."""

PACKET = 1500
"""Bytes of a full packet."""

ALMOST_NOTHING = 0.05
"""Part of what both links carry, below which the paper's `almost zero` counts as met."""

SIGNIFICANTLY = 1.1
"""By which factor two rates differ at least that the paper calls significantly different."""


def ideal(rate: float = 100.0, errors: float = 0.0) -> float:
    """Return the payload rate when both links are full, Mbit/s.

    Parameters
    ----------
    rate : float
        Rate of the second link, Mbit/s; the first one has 100.
    errors : float
        Bit error rate of the second link: what it damages is sent again.
    """
    intact = (1.0 - errors) ** (8 * PACKET)
    return PAYLOAD * (100.0 + rate * intact)
