"""Names of this paper's mechanisms, paths and flows, and the payload rate of its links."""

from __future__ import annotations

from manypath.papers.dreibholz import FULL_PACKETS, PLAIN, RPV1

RP = RPV1
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

PAYLOAD = FULL_PACKETS
"""Payload per bit on the wire."""

PACKET = 1500
"""Bytes of a full packet."""

ASYMMETRIC = 10.0
"""Largest rate of the second path that counts as highly asymmetric, ten to one, Mbit/s."""

LOSSY = 1e-6
"""Smallest bit error rate with frequent losses, 1 % of the packets."""

LONG = 50.0
"""Smallest delay of the second path that counts as higher, half of the range, ms."""

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
