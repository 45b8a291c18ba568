"""Every parameter of the paper's setup and of ours; if the paper gives none, the source of ours."""

from __future__ import annotations

from manypath.papers.dreibholz import AUTHORS, SIMULATOR
from manypath.papers.dreibholz2010_asymmetric.grids import FULL, QUICK
from manypath.papers.paper import Setting

SETUP = (
    Setting("topology", "two disjoint paths through routers, no other traffic", "the same"),
    Setting("rate of a path", "100 Mbit/s unless varied", "100 Mbit/s unless varied, both directions"),
    Setting("delay of a path", "1 ms unless varied", "1 ms unless varied, in each direction"),
    Setting("bit errors", "none unless varied", "none unless varied, both directions of the second path"),
    Setting("damaged packets", "dropped, or reported where reports are on", "the same"),
    Setting("router queues", "RED: weight 0.002, 20 to 80 packets, 2 %", "the same"),
    Setting("hard limit of RED", "", "80 packets", SIMULATOR),
    Setting("decay of RED's average while idle", "", "at the link's rate of full packets", AUTHORS),
    Setting("router queues of figure 4", "FIFO, capacity varied", "drop-tail, 5 to 300 packets waiting"),
    Setting("access links", "", "1 Gbit/s, 0.1 ms", AUTHORS),
    Setting("framing", "", "7 bytes for each packet (PPP)", "it gives the paper's 106 and 192 Mbit/s"),
    Setting("congestion controls", "CMT, CMT/RP of its reference [6]", "newreno, cmt-rpv1"),
    Setting("accounting of windows", "", "payload bytes, steps of one MTU of 1500", SIMULATOR),
    Setting("application", "saturated, one stream", "the same"),
    Setting("messages", "1452 bytes", "1452 bytes"),
    Setting("MTU", "1500 bytes", "1500 bytes"),
    Setting(
        "buffers, unordered",
        "250,000 and 125,000 bytes; ten times as much for delays",
        "the same; figure 4 varies which one is smaller",
    ),
    Setting("buffers, ordered", "2,500,000 bytes each", "the same"),
    Setting("buffer splitting", "by buffered bytes, equations 1 and 2", "by buffered bytes, equations 1 and 2"),
    Setting("NR-SACK, unordered", "on or off", "on: all data are reported as non-renegable on arrival; or off"),
    Setting(
        "NR-SACK, ordered",
        "",
        "on: only data offered to the application are non-renegable, not data that wait for an earlier message",
        SIMULATOR,
    ),
    Setting("chunk rescheduling", "above half of a path's share, equation in section IV-C", "threshold"),
    Setting("smart fast retransmission", "on unless varied", "on unless varied"),
    Setting("path of a SACK", "that of the last packet", "the same"),
    Setting("SACK", "for every second packet", "for every second packet, and for the last one of a window", AUTHORS),
    Setting("burst mitigation", "", "4 packets, use it or lose it", AUTHORS),
    Setting("fast retransmission", "after 3 gap reports, on the same path", "the same"),
    Setting("path of a timer-based retransmission", "possibly another", "the next one", AUTHORS),
    Setting("restart of the retransmission timer", "", "smart: from the sending time of the oldest chunk", AUTHORS),
    Setting("retransmission timeout", "1 to 60 s", "3 s at first, 1 to 60 s", AUTHORS),
    Setting("start of the flow", "", "uniform over the first second"),
    Setting("transient", "19 s", "19 s"),
    Setting("measurement", "60 s", "60 s"),
    Setting.of_repetitions("64", QUICK, FULL),
    Setting("intervals", "95 %", "95 %, Student's t over the repetitions"),
)
