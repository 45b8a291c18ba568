"""What is varied jointly to find out what the paper ran."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.switches import SWITCHES
from manypath.papers.reconstruction import shared
from manypath.papers.reconstruction.factors import Factor

FACTORS = (
    shared.multipath_sack("contradicts"),
    shared.sack_path("stated"),
    shared.burst("silent"),
    shared.accounting("silent"),
    Factor("peer-window", "the peer's window is never overrun", SWITCHES["window-wraps"]),
    Factor("queue", "RED queues", SWITCHES["fifo-100"], "contradicts"),
    Factor("reports", "bit errors on the way back, too, and in headers", SWITCHES["clean-way-back, spared-headers"]),
    Factor("access", "0.1 ms on the access links", SWITCHES["no-access-delay"]),
)
"""The paper has a SACK for every second packet, and sends it on the path of the last one."""
