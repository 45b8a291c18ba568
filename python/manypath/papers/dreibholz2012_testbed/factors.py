"""Settings that a reconstruction varies jointly, to identify those of the paper."""

from __future__ import annotations

from manypath.papers.reconstruction import shared
from manypath.papers.reconstruction.factors import Factor
from manypath.papers.switch import Switch, queues_of

FACTORS = (
    shared.multipath_sack("silent"),
    shared.single_sack("silent"),
    shared.sack_path("silent"),
    shared.burst("silent"),
    shared.accounting("stated"),
    shared.form("stated"),
    Factor("fifo", "RED queues", Switch("fifo", "drop-tail queues of 100 packets", queues_of(100)), "contradicts"),
    shared.jitter("silent"),
)
"""The paper prints the MPTCP-like formula of 2012. It counts windows in segments of 1452 bytes."""
