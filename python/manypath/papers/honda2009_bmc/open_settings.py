"""What the text of the thesis leaves open, with the values that a careful reader finds plausible."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.switches import SWITCHES
from manypath.papers.open_settings.setting import OpenSetting, Value

OPEN_SETTINGS = (
    OpenSetting(
        "thresholds",
        "the thresholds of RED",
        (
            Value(
                "moderate",
                "a tenth and half of the packets in flight",
                "section 5.1 names RED without parameters; between the other two values",
            ),
            Value(
                "ns2",
                "those that ns-2.34 derives from the rate",
                "section 5 uses ns-2, and the thesis gives no parameters of its own",
                SWITCHES["red-auto"],
            ),
            Value(
                "wide",
                "three times as high",
                "the examples of sections 3.2 and 4.1 presuppose links without idle time, which takes a queue of more "
                "than a few packets",
                SWITCHES["wide-buffers"],
            ),
        ),
    ),
    OpenSetting(
        "gentle",
        "drops above the upper threshold",
        (
            Value("gentle", "with rising probability", "default of ns-2 since 2001"),
            Value("strict", "of all packets", "RED as in its reference, [11] of the thesis", SWITCHES["red-strict"]),
        ),
    ),
    OpenSetting(
        "limited-transmit",
        "new packets for the first two duplicate acknowledgements",
        (
            Value("on", "sent", "default of ns-2 since 2001, RFC 3042"),
            Value("off", "not sent", "not part of TCP Reno, which the text names", SWITCHES["limited-transmit-off"]),
        ),
    ),
    OpenSetting(
        "acknowledgements",
        "acknowledgements",
        (
            Value("1", "every packet", "default receiver of ns-2; section 2.1 counts growth per acknowledged window"),
            Value("2", "every second packet", "RFC 5681 section 4.2", SWITCHES["ack-every-2"]),
        ),
    ),
    OpenSetting(
        "packets",
        "the size of packets",
        (
            Value("1000", "1000 bytes of payload", "default of ns-2"),
            Value("1460", "1460 bytes of payload", "the size of Ethernet frames", SWITCHES["packets-1500"]),
        ),
    ),
    OpenSetting(
        "timeout",
        "the minimum retransmission timeout",
        (
            Value("200ms", "0.2 s", "default of ns-2 since 2004"),
            Value("1s", "1 s", "RFC 2988 section 2.4, and default of ns-2 before", SWITCHES["rto-1s"]),
        ),
    ),
)
"""Links, delays, RED, Reno, weights, numbers of flows and the length of the simulation are stated, so they are not
open."""
