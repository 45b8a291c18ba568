"""What the text of the paper leaves open, with the values that a careful reader finds plausible."""

from __future__ import annotations

from manypath.papers.dreibholz import AUTHORS
from manypath.papers.dreibholz2010_asymmetric.switches import SWITCHES
from manypath.papers.open_settings import dreibholz
from manypath.papers.open_settings.setting import OpenSetting, Value

OPEN_SETTINGS = (
    OpenSetting(
        "sack-path",
        "the path of a SACK",
        (
            Value("last", "that of the last packet", "section II, and RFC 4960 section 6.4"),
            Value("smallest", "that with the smallest round-trip time", AUTHORS, SWITCHES["sack-smallest"]),
        ),
    ),
    OpenSetting(
        "peer-window",
        "new data beside a full receive window of the peer",
        (
            Value("never", "never more than the window", "RFC 4960 section 6.1 A"),
            Value("packet", "one packet more", "RFC 4960 section 6.1 A, its exception", SWITCHES["window-overrun"]),
            Value(
                "wraps", "the window wraps around", "INET, the simulator that the text names", SWITCHES["window-wraps"]
            ),
        ),
    ),
    OpenSetting(
        "damage",
        "what bit errors damage",
        (
            Value(
                "all", "packets of both directions, headers too", "the rate belongs to the links between the routers"
            ),
            Value(
                "not-back",
                "only packets to the receiver",
                "section VI-B varies the error rate of the data's path",
                SWITCHES["clean-way-back"],
            ),
            Value(
                "not-headers",
                "packets of both directions, but no headers",
                "section II: reports apply if damaged packets are still delivered",
                SWITCHES["spared-headers"],
            ),
            Value(
                "data",
                "only data to the receiver",
                "section VI-B: only the overhead of retransmissions remains",
                SWITCHES["clean-way-back, spared-headers"],
            ),
        ),
    ),
    dreibholz.BURST,
    dreibholz.ACCOUNTING,
)
"""Rates, delays, queues, buffers, messages, the frequency of SACKs, formulas and the length of runs are stated, so they
are not open. The path of SACKs is stated, but the authors configured another one for their simulator. Delay of access
links, RED's hard limit and the restart of timers are left out, because nothing suggests other values.
"""
