"""Every parameter of the paper's setup and of ours; if the paper gives none, the source of ours."""

from __future__ import annotations

from manypath.papers.dreibholz import AUTHORS, SIMULATOR
from manypath.papers.dreibholz2012_testbed.grids import FULL, QUICK
from manypath.papers.paper import Setting

SETUP = (
    Setting("topologies", "two paths over one bottleneck; two disjoint paths", "the same"),
    Setting("rate of the bottleneck", "varied; 9 Mbit/s is named", "1 to 10 Mbit/s"),
    Setting("rate of the southern path", "varied; 4, 6 and 7 Mbit/s are named", "1 to 10 Mbit/s"),
    Setting("rate of the northern path", "2.5 Mbit/s with disjoint paths", "the same"),
    Setting("delay between core routers", "10 ms", "10 ms in each direction"),
    Setting("router queues", "RED: 30, 90 packets, 10 %", "the same, in both directions"),
    Setting("weight of a sample in RED's average", "", "0.002", AUTHORS),
    Setting("hard limit of a RED queue", "", "100 packets", AUTHORS),
    Setting("other queues", "FIFO, 100 packets", "the same"),
    Setting("access links", "", "1 Gbit/s, 0.1 ms", AUTHORS),
    Setting("framing", "", "7 bytes for each packet (PPP)", SIMULATOR),
    Setting("multipath flow", "CMT-SCTP over both paths", "the same"),
    Setting(
        "single-path flow",
        "standard SCTP over the Southern path",
        "the same; over the first path of the bottleneck",
    ),
    Setting("congestion controls", "cmt, cmtrpv1, cmtrpv2, like-mptcp", "newreno, cmt-rpv1, cmt-rpv2, mptcp-like"),
    Setting("growth of MPTCP-like", "given by a formula", "the coupled form in bytes; the printed forms by switches"),
    Setting("accounting of windows", "segments of 1452 bytes", "payload bytes, steps of one MTU of 1500", SIMULATOR),
    Setting("application", "saturated", "saturated"),
    Setting("messages", "1452 bytes, unordered", "the same"),
    Setting("MTU", "1500 bytes", "1500 bytes"),
    Setting("send and receive buffers", "1,000,000 bytes; 5,000,000 with disjoint paths", "the same"),
    Setting("buffer splitting", "on, as in two cited papers", "by outstanding bytes, both buffers", AUTHORS),
    Setting("acknowledgements", "NR-SACK, SACK-Immediately", "the same: at once for the last packet of a window"),
    Setting("packets for each SACK", "", "two; one by a switch", SIMULATOR),
    Setting("path of a SACK", "", "that with the smallest smoothed RTT", AUTHORS),
    Setting("growth of a path's window", "", "by pseudo cumulative acknowledgements, CUC version 2", AUTHORS),
    Setting("split fast retransmit, delayed ack for CMT", "", "on", AUTHORS),
    Setting("burst mitigation", "", "4 packets, use it or lose it", AUTHORS),
    Setting("restart of the retransmission timer", "", "smart: from the sending time of the oldest chunk", AUTHORS),
    Setting("retransmission timeout", "", "3 s at first, 1 to 60 s", AUTHORS),
    Setting("path blocking", "an outlook", "off; for one retransmission timeout by a switch", SIMULATOR),
    Setting("start of flows", "", "uniform over the first second"),
    Setting("transient", "20 s", "20 s"),
    Setting("measurement", "300 s", "100 s quick, 300 s full and with the distant bottleneck"),
    Setting.of_repetitions("at least 20", QUICK, FULL),
    Setting("intervals", "95 %", "95 %, Student's t over the repetitions"),
)
