"""Every parameter of the paper's setup and of ours; if the paper gives none, the source of ours."""

from __future__ import annotations

from manypath.papers.dreibholz import AUTHORS, SIMULATOR
from manypath.papers.dreibholz2011_impact.grids import FULL, QUICK
from manypath.papers.paper import Setting

SETUP = (
    Setting("topology", "Northern and Southern path, more if needed, each through routers", "the same"),
    Setting("rate of a path", "10 Mbit/s unless varied", "10 Mbit/s unless varied, both directions"),
    Setting("delay of a path", "1 ms", "1 ms in each direction"),
    Setting("router queues", "FIFO, 100 packets", "drop-tail, 100 packets waiting and one in transmission"),
    Setting("access links", "", "1 Gbit/s, 0 ms, 10,000 packets", "the INET runs of the comparison"),
    Setting("framing", "", "7 bytes for each packet (PPP)", SIMULATOR),
    Setting("multipath flow", "CMT-SCTP over all paths", "the same"),
    Setting(
        "single-path flow",
        "SCTP over the Southern path",
        "standard SCTP over the first path, the same settings except those of CMT",
    ),
    Setting("congestion controls", "cmt, cmtrpv1, cmtrpv2, like-mptcp", "newreno, cmt-rpv1, cmt-rpv2, mptcp-like"),
    Setting("growth of MPTCP-like", "given by a formula", "the coupled form in bytes; the printed forms by switches"),
    Setting("accounting of windows", "segments of 1452 bytes", "payload bytes, steps of one MTU of 1500", SIMULATOR),
    Setting("application", "saturated", "saturated"),
    Setting("messages", "uniform, 500 to 1452 bytes, unordered", "the same"),
    Setting("MTU", "1500 bytes", "1500 bytes"),
    Setting("send buffer", "1,000,000 bytes", "1,000,000 bytes"),
    Setting("receive buffer", "500,000 bytes", "500,000 bytes"),
    Setting("buffer splitting", "by outstanding bytes", "by outstanding bytes, both buffers"),
    Setting("acknowledgements", "NR-SACK", "NR-SACK"),
    Setting("SACK on demand", "", "for the last packet of a window", AUTHORS),
    Setting("path of a SACK", "", "that with the smallest smoothed RTT", AUTHORS),
    Setting("growth of a path's window", "by pseudo cumulative acknowledgements", "CUC version 2"),
    Setting("split fast retransmit, delayed ack for CMT", "", "on", AUTHORS),
    Setting("burst mitigation", "", "4 packets, use it or lose it", AUTHORS),
    Setting("restart of the retransmission timer", "", "smart: from the sending time of the oldest chunk", AUTHORS),
    Setting("retransmission timeout", "", "3 s at first, 1 to 60 s", AUTHORS),
    Setting("start of flows", "", "uniform over the first second"),
    Setting("transient", "20 s", "20 s"),
    Setting("measurement", "300 s", "100 s quick, 300 s full"),
    Setting.of_repetitions("100", QUICK, FULL),
    Setting("intervals", "95 %", "95 %, Student's t over the repetitions"),
)
