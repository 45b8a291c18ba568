"""Settings that a reconstruction varies jointly, to identify those of the paper."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.switches import SWITCHES
from manypath.papers.reconstruction.factors import Factor

FACTORS = (
    Factor("initial-window", "an initial window of 10 segments", SWITCHES["initial-window-3"]),
    Factor("timeout", "a retransmission timeout of SRTT plus at least 200 ms", SWITCHES["min-rto-1s"]),
    Factor("acks", "an acknowledgement for every second segment", SWITCHES["ack-every-1"]),
    Factor("start", "all flows start within 0.1 s", SWITCHES["mptcp-late"]),
    Factor("buffers", "buffers of rate times round-trip time", SWITCHES["queue-half"], "contradicts"),
    Factor("discipline", "drop-tail buffers", SWITCHES["red"]),
    Factor("hosts", "exact hosts", SWITCHES["jitter"]),
    Factor("maximum", "the approximated maximum", SWITCHES["lia"], "contradicts"),
)
"""The buffers precede their discipline, because RED derives its thresholds from their size."""
