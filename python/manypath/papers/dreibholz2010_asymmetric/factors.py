"""Settings that a reconstruction varies jointly, to identify those of the paper."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.switches import SWITCHES
from manypath.papers.reconstruction import shared
from manypath.papers.reconstruction.factors import Factor

FACTORS = (
    shared.multipath_sack("contradicts"),
    Factor("sack-smallest", "SACK on the path of the last packet", SWITCHES["sack-smallest"], "contradicts"),
    shared.burst("silent"),
    shared.accounting("silent"),
    Factor("peer-window", "new data never exceed the peer's receive window", SWITCHES["window-wraps"]),
    Factor("fifo", "RED queues", SWITCHES["fifo-100"], "contradicts"),
    Factor(
        "reports", "bit errors also in the reverse direction and in headers", SWITCHES["clean-way-back, spared-headers"]
    ),
    Factor("access", "0.1 ms on the access links", SWITCHES["no-access-delay"]),
)
"""The paper states the frequency of SACKs, their path, and the queues."""
