"""Every parameter of the paper's setup and of ours; if the paper gives none, the source of ours."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.grids import FULL, QUICK
from manypath.papers.paper import Setting

LINUX = "Linux of 2012"

SETUP = (
    Setting("topology", "two links; MPTCP has a subflow on each, and a TCP connection competes on each", "the same"),
    Setting("rates", "5 and 5, 10 and 5, 5 and 5 Mbit/s", "the same"),
    Setting("one-way delays", "50 and 50, 50 and 50, 50 and 100 ms, for all flows of a link", "the same"),
    Setting("buffers", "rate times round-trip time", "41 and 41, 83 and 41, 41 and 83 packets"),
    Setting("discipline of the buffers", "", "drop-tail", "the paper gives only sizes"),
    Setting("reverse direction", "", "the same rate, delay and buffer"),
    Setting("access links", "no bottleneck", "1 Gbit/s, 0 ms, 10,000 packets"),
    Setting("hosts", "", "exact; jitter of up to a packet's time by a switch", "real hosts are not exact"),
    Setting("framing", "", "none", "the paper's throughputs add up to 97 to 99 % of the rates"),
    Setting("packets", "", "1500 bytes: 1448 of payload, 12 of timestamps, headers", LINUX),
    Setting("protocol", "coupled TCP connections, no signalling of MPTCP", "MPTCP with options of 0 bytes"),
    Setting(
        "control of MPTCP", "linked increases, maximum approximated", "lia-eunice; also lia with the exact maximum"
    ),
    Setting("slow start of MPTCP", "", "independent on each subflow", "RFC 6356 section 3"),
    Setting("arithmetic of the control", "", "floating point", "kernel integers need a scale; the paper gives none"),
    Setting("control of TCP", "Reno, with the real network stack of Linux", "newreno"),
    Setting("recovery", "", "selective acknowledgements, limited transmit", LINUX),
    Setting("window after a loss", "half, at least 1 packet", "half, at least 1 packet for MPTCP and 2 for TCP"),
    Setting("initial window", "", "10 segments; 3 by a switch", "Linux since 2.6.39"),
    Setting("acknowledgements", "", "every second segment or 40 ms; every segment by a switch", LINUX),
    Setting("retransmission timeout", "", "at least 200 ms; at least 1 s by a switch", LINUX),
    Setting("application", "greedy", "greedy"),
    Setting("send and receive buffers", "", "4,000,000 bytes, so that only congestion windows limit a flow"),
    Setting("start of flows", "", "uniform over the first 0.1 s", "the paper does not say"),
    Setting("measurement", "85 s from the start, at the sender", "the same; whole packets, including retransmissions"),
    Setting("without cross traffic", "windows over time", "120 s, so that each run has several window reductions"),
    Setting.of_repetitions("apparently one", QUICK, FULL),
    Setting("intervals", "", "95 %, Student's t over the repetitions"),
)
