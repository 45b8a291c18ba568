"""What the text of the paper leaves open, with the values that a careful reader finds plausible."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.switches import SWITCHES
from manypath.papers.open_settings.setting import OpenSetting, Value

OPEN_SETTINGS = (
    OpenSetting(
        "initial-window",
        "the initial window",
        (
            Value("10", "10 segments", "Linux since 2.6.39; the text names no version of the kernel"),
            Value(
                "3",
                "3 segments",
                "Linux before 2.6.39. Users of the Network Simulation Cradle, with which the paper runs its kernel, "
                "publish scenarios with Linux 2.6.26",
                SWITCHES["initial-window-3"],
            ),
        ),
    ),
    OpenSetting(
        "hosts",
        "the time that hosts take for a packet",
        (
            Value(
                "exact", "none", "section 3: the kernel's code runs inside a simulator; no processing times are given"
            ),
            Value(
                "jitter",
                "up to the time of a packet",
                "timers and bursts of the real kernel code, which the model of TCP here lacks, break the constant "
                "order in which packets of exact hosts reach a full drop-tail queue",
                SWITCHES["jitter"],
            ),
        ),
    ),
    OpenSetting(
        "acknowledgements",
        "acknowledgements",
        (
            Value("2", "every second segment", "RFC 5681 section 4.2, and Linux after the begin of a connection"),
            Value(
                "1",
                "every segment",
                "the text counts growth per acknowledgement and mentions no delayed ones; Linux acknowledges every "
                "segment while it finds that data is interactive or a connection begins",
                SWITCHES["ack-every-1"],
            ),
        ),
    ),
    OpenSetting(
        "slow-start",
        "growth in slow start",
        (
            Value("bytes", "by up to two segments for an acknowledgement", "RFC 3465, as in later Linux"),
            Value(
                "segments",
                "by one segment for an acknowledgement",
                "Linux of the time counts acknowledgements unless tcp_abc is set",
                SWITCHES["abc-limit-1"],
            ),
        ),
    ),
    OpenSetting(
        "start",
        "the start of the flows",
        (
            Value("together", "within 0.1 s", "the figures begin with all flows"),
            Value("apart", "within 1 s", "the text gives no times", SWITCHES["start-1s"]),
        ),
    ),
)
"""Buffers, delays, rates, the control, Reno and the length of the simulation are stated, so they are not open."""
