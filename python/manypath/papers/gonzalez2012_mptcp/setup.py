"""The paper's setup beside ours: every parameter, and where ours comes from when the paper is silent."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.grids import FULL, QUICK
from manypath.papers.paper import Setting

LINUX = "Linux of 2012"

SETUP = (
    Setting("topology", "two links; MPTCP has a subflow on each, and a TCP connection on each beside it", "the same"),
    Setting("rates", "5 and 5, 10 and 5, 5 and 5 Mbit/s", "the same"),
    Setting("one-way delays", "50 and 50, 50 and 50, 50 and 100 ms, for all flows of a link", "the same"),
    Setting("buffers", "rate times round-trip time", "41 and 41, 83 and 41, 41 and 83 packets"),
    Setting("discipline of the buffers", "", "drop-tail", "buffers that are sized alone"),
    Setting("way back", "", "the same rate, delay and buffer"),
    Setting("access links", "the bottleneck is later on", "1 Gbit/s, 0 ms, 10,000 packets"),
    Setting("hosts", "", "exact; up to a packet's time slower on trial", "real ones are not exact"),
    Setting("framing", "", "none", "the throughput of all flows sums up to 97 to 99 % of the rates"),
    Setting("packets", "", "1500 bytes: 1448 of payload, 12 of timestamps, headers", LINUX),
    Setting("protocol", "coupled TCP connections, no signalling of MPTCP", "MPTCP whose options need no bytes"),
    Setting(
        "control of MPTCP", "linked increases, maximum approximated", "lia-eunice; lia with the true maximum beside it"
    ),
    Setting("slow start of MPTCP", "", "each subflow by itself", "RFC 6356 section 3"),
    Setting(
        "arithmetic of the control", "", "floating point", "integers of a kernel would need a scale; none is given"
    ),
    Setting("control of TCP", "Reno, with the real network stack of Linux", "newreno"),
    Setting("recovery", "", "selective acknowledgements, limited transmit", LINUX),
    Setting("window after a loss", "half, at least 1 packet", "half, at least 1 packet for MPTCP and 2 for TCP"),
    Setting("initial window", "", "10 segments; 3 on trial", "Linux since 2.6.39"),
    Setting("acknowledgements", "", "every second segment or 40 ms; every segment on trial", LINUX),
    Setting("retransmission timeout", "", "200 ms at least; 1 s on trial", LINUX),
    Setting("application", "greedy", "greedy"),
    Setting("send and receive buffers", "", "4,000,000 bytes, so that windows alone limit a flow"),
    Setting("start of flows", "", "uniform in the first 0.1 s", "one run of the paper does not tell"),
    Setting("measurement", "85 s from the start, at the sender", "the same; whole packets, retransmissions included"),
    Setting("without cross traffic", "windows over time", "120 s, so that each run has several cuts"),
    Setting.of_repetitions("apparently one", QUICK, FULL),
    Setting("intervals", "", "95 %, Student's t over the repetitions"),
)
