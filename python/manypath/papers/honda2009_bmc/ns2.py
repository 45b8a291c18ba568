"""Defaults of ns-2.35, which are also those of ns-2.34 of January 2009.

The thesis was simulated with ns-2. A setting that it does not give is probably ns-2's default. RED's parameters are
zero there, and ns-2 then derives them from the rate and the delay of the link.
"""

from __future__ import annotations

import math

from manypath.papers.honda2009_bmc.names import PACKET
from manypath.scenario import Link, Red

HEADERS = 40
"""Bytes of headers that ns-2's TCP adds to each packet."""

WIRE = PACKET + HEADERS
"""Bytes of a packet on a link."""

MEAN_PACKET = 500
"""RED's `mean_pktsize_`, bytes: ns-2's unit of conversion from packets to bytes, at any packet size."""

LIMIT = 50
"""`limit_` of every queue, packets; RED counts bytes by default, in units of `MEAN_PACKET`."""

TARGET = 0.005
"""`targetdelay_`, s: RED's lower threshold is half of the data that the link sends in this time."""

LEAST = 5.0
"""Minimum of the lower threshold, packets of `MEAN_PACKET` bytes."""

MAX_P = 0.1
"""The inverse of `linterm_`."""

INITIAL_WINDOW = 2
"""`windowInit_`, packets."""

WINDOW = 20
"""`window_`, packets: the receiver's limit of the congestion window."""


def red(link: Link) -> Red:
    """Return the RED queue that ns-2 configures by default for a link.

    ns-2 measures its queue in bytes and doubles the distance between drops with `wait_`: gaps are uniform from 1/p to
    2/p units of `MEAN_PACKET` bytes. Here they are uniform from 0 to 1/p packets. `max_p` gives the same mean gap.
    """
    units = link.rate / (8.0 * MEAN_PACKET)
    lower = max(LEAST, TARGET * units / 2.0)
    round_trip = max(0.1, 3.0 * (link.delay / 1e9 + 1.0 / units))
    return Red(
        weight=1.0 - math.exp(-1.0 / (10.0 * round_trip * units)),
        min=lower * MEAN_PACKET / WIRE,
        max=3.0 * lower * MEAN_PACKET / WIRE,
        max_p=MAX_P * WIRE / MEAN_PACKET / 3.0,
        gentle=True,
        # ns-2 accepts a packet while the queue is below the limit, so the queue holds one packet more.
        bytes=f"{WIRE * math.ceil(LIMIT * MEAN_PACKET / WIRE)} B",
        packet_rate=units,
    )
