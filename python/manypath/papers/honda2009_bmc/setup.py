"""Every parameter of the thesis's setup and of ours; if the thesis gives none, the source of ours."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.grids import FULL, QUICK
from manypath.papers.paper import Setting

NS2 = "default of ns-2.34 and ns-2.35"

SETUP = (
    Setting("topology", "dumbbell: weighted flows and the same number of standard flows", "the same"),
    Setting("bottleneck", "60 Mbit/s, 20 ms", "the same"),
    Setting("links of the senders", "100 Mbit/s, 2 ms", "the same"),
    Setting(
        "links of the receivers", "100 Mbit/s, delay in ms: index of the flow / 3", "the same; the index begins at 1"
    ),
    Setting(
        "queues of these links",
        "",
        "drop-tail, 1000 packets; 50 by a switch",
        "1000: only the bottleneck drops; 50: " + NS2,
    ),
    Setting("queue of the bottleneck", "RED", "thresholds 30 and 150, 10 %, weight 0.002, gentle, 400 packets"),
    Setting(
        "choice of these thresholds",
        "",
        "about 0.1 and 0.5 of the packets in flight",
        "60 Mbit/s times 44 ms are 330 packets",
    ),
    Setting(
        "RED by default",
        "",
        "by a switch: thresholds 18 and 54, 7 %, weight 0.000067, gentle, 25 packets",
        "ns-2.34 and ns-2.35 derive them from 60 Mbit/s and 20 ms; 5 and 15 until 2001, by a switch",
    ),
    Setting("packets", "", "1000 bytes of payload, 40 of headers, no framing", NS2),
    Setting("subflows", "separate connections", "separate connections; BMC in the experiments with the manager"),
    Setting("weighted flows", "AIMD(D², 1/2)", "the same; slow start and timeouts are those of TCP"),
    Setting(
        "weights of a set",
        "half or a quarter of the flows each",
        "alternating, so that all weights have similar delays",
    ),
    Setting(
        "weights of figure 5.16",
        "3, 4, 5 and 5 eighteenths (text), or 6 (caption)",
        "3, 4, 5 and 6 eighteenths: they add up to one",
    ),
    Setting(
        "version of TCP",
        "Reno (chapter 5)",
        "Reno in chapter 5, newreno in the examples; newreno and selective acknowledgements by switches",
    ),
    Setting("numbers of flows", "1, 2, 4, 8, 16, 32, 48, 64 of each kind", "the same; some of them in quick precision"),
    Setting("acknowledgements", "", "each packet", NS2),
    Setting("initial window", "", "3 packets; 2 by a switch", "RFC 3390; 2: " + NS2),
    Setting(
        "limit of the window",
        "",
        "none; 20 packets by a switch",
        "20, the default of ns-2, limits a flow to 3.6 Mbit/s: no losses with up to 8 flows of each kind",
    ),
    Setting("retransmission timeout", "as in TCP", "RFC 6298: 3 s at first, 0.2 to 60 s", NS2),
    Setting("application", "", "greedy"),
    Setting("start of flows", "", "uniform over the first second"),
    Setting("measurement", "100 s from the start", "60 s quick, 100 s full"),
    Setting("loss event", "", "a window reduction, including timeouts"),
    Setting.of_repetitions("apparently one", QUICK, FULL),
    Setting("intervals", "", "95 %, Student's t over the repetitions"),
    Setting("figure 3.1", "4 and 12 Mbit/s in front of 30 Mbit/s", "RED in proportion to the rate, RTT 48 ms"),
    Setting("buffers of the disjoint links of figure 3.1", "", "rate times round-trip time"),
    Setting("figure 4.1", "8 and 10 Mbit/s, round-trip times equal", "RED in proportion to the rate, RTT 40 ms"),
    Setting(
        "gain K of the manager", "0 < K < 4", "0.5; 0.25 and 1 in some experiments; above 1 weights may become negative"
    ),
    Setting(
        "interval J of the manager",
        "at least one epoch of every subflow",
        "at least 10 s and an epoch; up to twice that without a loss",
    ),
    Setting("stop of the manager", "when rates are in proportion", "when T_wr differs by at most 10 %"),
    Setting("minimum weight", "above 0", "1/50"),
)
