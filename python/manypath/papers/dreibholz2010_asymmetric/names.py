"""Names of this paper's mechanisms, paths and flows, and the payload rate of its links."""

from __future__ import annotations

from manypath.papers.dreibholz import FULL_PACKETS, PLAIN, RPV1
from manypath.papers.predicates import ABOUT

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

SACK_PATHS = {"last-data": "path of the last packet", "first-data": "path of the first packet"}
"""Paths of SACKs: that of the text, and the one that causes most timeouts."""

OVERRUNS = {"never": "no overrun", "packet": "overrun of a packet", "wraps": "wraps around"}
"""What new data may do to a full peer window."""

HEARTBEATS = ("30 s", "1000 s")
"""The default interval of heartbeats, and one longer than a run."""

PAYLOAD = FULL_PACKETS
"""Payload per bit on the wire."""

PACKET = 1500
"""Bytes of a full packet."""

ASYMMETRIC = 10.0
"""Largest rate of the second path that counts as highly asymmetric, ten to one, Mbit/s."""

THIN = 1.0
"""Largest rate of the second path that section VI-C calls highly asymmetric, Mbit/s."""

LOSSY = 1e-6
"""Smallest bit error rate with frequent losses, 1 % of the packets."""

LONG = 50.0
"""Smallest delay of the second path that counts as higher, half of the range, ms."""

ALMOST_SYMMETRIC = 75.0
"""Smallest rate of the second path that counts as almost that of the first, Mbit/s."""

ALMOST_NOTHING = ABOUT
"""Upper limit of a rate that the paper calls `almost zero`, as a part of the payload rate of both links.

The paper reads it in plots whose axes reach that rate. It differs from zero by the tolerance of `about`.
"""

RTO_MIN = 1.0
"""The smallest retransmission timeout ([D10] section II), s."""


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
