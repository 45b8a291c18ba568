"""The thesis's setup beside ours: every parameter, and where ours comes from when the thesis is silent."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.grids import FULL, QUICK
from manypath.papers.paper import Setting

NS2 = "default of ns-2.34 and ns-2.35"

SETUP = (
    Setting("topology", "dumbbell: weighted flows and as many standard ones", "the same"),
    Setting("bottleneck", "60 Mbit/s, 20 ms", "the same"),
    Setting("links of the senders", "100 Mbit/s, 2 ms", "the same"),
    Setting("links of the receivers", "100 Mbit/s, index of the flow over 3 in ms", "the same; the index begins at 1"),
    Setting(
        "queues of these links",
        "",
        "drop-tail, 1000 packets; 50 on trial",
        "1000, so that the bottleneck alone drops; 50: " + NS2,
    ),
    Setting("queue of the bottleneck", "RED", "thresholds 30 and 150, 10 %, weight 0.002, gentle, 400 packets"),
    Setting(
        "why these thresholds",
        "",
        "about 0.1 and 0.5 of the packets on the way",
        "60 Mbit/s times 44 ms are 330 packets",
    ),
    Setting(
        "RED by itself",
        "",
        "on trial: thresholds 18 and 54, 7 %, weight 0.000067, gentle, 25 packets",
        "what ns-2.34 and ns-2.35 derive from 60 Mbit/s and 20 ms; 5 and 15 until 2001, on trial, too",
    ),
    Setting("packets", "", "1000 bytes of payload, 40 of headers, no framing", NS2),
    Setting("subflows", "separate connections", "separate connections; BMC itself where the manager is on trial"),
    Setting("weighted flows", "AIMD(D², 1/2)", "the same; slow start and timeouts are those of TCP"),
    Setting("weights of a set", "half of the flows or a quarter of them each", "in turn, so that all have like delays"),
    Setting(
        "weights of figure 5.16",
        "3, 4, 5 and 5 eighteenths (text), or 6 (caption)",
        "3, 4, 5 and 6 eighteenths: they sum to one",
    ),
    Setting(
        "version of TCP",
        "Reno (chapter 5)",
        "Reno in chapter 5, newreno in the examples; newreno and selective acknowledgements on trial",
    ),
    Setting("numbers of flows", "1, 2, 4, 8, 16, 32, 48, 64 of each kind", "the same; some of them in quick precision"),
    Setting("acknowledgements", "", "each packet", NS2),
    Setting("initial window", "", "3 packets; 2 on trial", "RFC 3390; 2: " + NS2),
    Setting(
        "limit of the window",
        "",
        "none; 20 packets on trial",
        "20, the default of ns-2, holds a flow at 3.6 Mbit/s: without losses up to 8 flows of each kind",
    ),
    Setting("retransmission timeout", "as TCP has it", "RFC 6298: 3 s at first, 0.2 to 60 s", NS2),
    Setting("application", "", "greedy"),
    Setting("start of flows", "", "uniform in the first second"),
    Setting("measurement", "100 s from the start", "60 s quick, 100 s full"),
    Setting("loss event", "", "a window is cut, by a timeout too"),
    Setting.of_repetitions("apparently one", QUICK, FULL),
    Setting("intervals", "", "95 %, Student's t over the repetitions"),
    Setting("figure 3.1", "4 and 12 Mbit/s before 30 Mbit/s", "RED in proportion to the rate, RTT 48 ms"),
    Setting("buffers of the disjoint links of figure 3.1", "", "rate times round-trip time"),
    Setting("figure 4.1", "8 and 10 Mbit/s, round-trip times equal", "RED in proportion to the rate, RTT 40 ms"),
    Setting("gain K of the manager", "0 < K < 4", "0.5; 0.25 and 1 on trial; above 1 a weight may have to be cut off"),
    Setting(
        "interval J of the manager",
        "one epoch of every subflow at least",
        "10 s, an epoch, or twice that without a loss",
    ),
    Setting("stop of the manager", "when rates are in proportion", "when T_wr differs by 10 % at most"),
    Setting("least weight", "above 0", "a fiftieth"),
)
