"""Settings that a reconstruction varies jointly, to identify those of the thesis."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.switches import SWITCHES
from manypath.papers.reconstruction.factors import Factor

FACTORS = (
    Factor("recovery", "Reno", SWITCHES["newreno"], "contradicts"),
    Factor("limited-transmit", "limited transmit", SWITCHES["limited-transmit-off"]),
    Factor("thresholds", "RED thresholds at a tenth and half of the packets in flight", SWITCHES["wide-buffers"]),
    Factor("gentle", "gentle RED", SWITCHES["red-strict"]),
    Factor("timeout", "a minimum retransmission timeout of 0.2 s", SWITCHES["rto-1s"]),
    Factor("acks", "an acknowledgement for every packet", SWITCHES["ack-every-2"]),
    Factor("start", "measured from the start", SWITCHES["after-start"], "contradicts"),
)
"""The thesis names Reno, and measures from the start."""
