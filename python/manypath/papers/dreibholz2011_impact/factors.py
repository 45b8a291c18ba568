"""Settings that a reconstruction varies jointly, to identify those of the paper."""

from __future__ import annotations

from manypath.papers.dreibholz2011_impact.switches import SWITCHES
from manypath.papers.reconstruction import shared
from manypath.papers.reconstruction.factors import Factor

FACTORS = (
    shared.multipath_sack("silent"),
    shared.single_sack("silent"),
    shared.sack_path("silent"),
    shared.burst("silent"),
    shared.accounting("stated"),
    shared.form("contradicts"),
    Factor("queue-64", "queues of 100 packets", SWITCHES["queue-64"], "contradicts"),
    shared.jitter("silent"),
)
"""The paper prints the MPTCP-like formula of 2011. It counts windows in segments of 1452 bytes."""
