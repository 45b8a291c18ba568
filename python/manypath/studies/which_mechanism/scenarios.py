"""One CMT flow on two paths with different rates, errors or delays, and with every mechanism on or off."""

from __future__ import annotations

from manypath.papers.dreibholz import INET
from manypath.papers.experiment import Experiments
from manypath.scenario import BitError, Link, Red, Saturated, Scenario, Sctp, Sizes, disjoint

experiment = Experiments()

CMT = "cmt"
"""Name of the flow."""

MECHANISMS = {
    "splitting": "buffer splitting",
    "nr_sack": "NR-SACK",
    "rescheduling": "chunk rescheduling",
    "smart": "smart fast retransmission",
    "reports": "packet drop reports",
}
"""The five mechanisms and their names in figures and tables."""

ASYMMETRIES = {
    "rate": "100 and 10 Mbit/s",
    "errors": "0 and 3e-6 bit errors",
    "delay": "1 and 50 ms",
}
"""Differences between the two paths."""

ORDERS = {False: "unordered", True: "ordered"}
"""Order of delivery."""

LINK = Link(rate="100 Mbit/s", delay="1 ms", queue=Red(weight=0.002, min=20, max=80, max_p=0.02))
"""The first path, and the second path except for its difference ([D10] section V)."""

SECOND = {
    "rate": LINK.but(rate="10 Mbit/s"),
    "errors": LINK.but(loss=BitError(rate=3e-6)),
    "delay": LINK.but(delay="50 ms"),
}
"""The second path for each asymmetry."""

SMALL = ("250 kB", "125 kB")
LARGE = ("2.5 MB", "1.25 MB")
ORDERED = ("2.5 MB", "2.5 MB")
"""Send and receive buffers of [D10]: figures 5 and 6 (small; large over delay), figures 7 and 8 (ordered)."""


def buffers(asymmetry: str, ordered: bool) -> tuple[str, str]:
    """Return the send and receive buffer of [D10]."""
    if ordered:
        return ORDERED
    return LARGE if asymmetry == "delay" else SMALL


@experiment("factorial", figure=1)
def one_flow(
    asymmetry: str,
    ordered: bool,
    splitting: bool,
    nr_sack: bool,
    rescheduling: bool,
    smart: bool,
    reports: bool,
) -> Scenario:
    """One plain CMT flow without competing flows, with these mechanisms."""
    send_buffer, receive_buffer = buffers(asymmetry, ordered)
    flow = Sctp(
        paths=("first", "second"),
        send_buffer=send_buffer,
        receive_buffer=receive_buffer,
        buffer_split="both" if splitting else "none",
        split_by="buffered",
        nr_sack=nr_sack,
        rescheduling="threshold" if rescheduling else "none",
        smart_fast_rtx=smart,
        packet_drop_reports=reports,
        app=Saturated(message=Sizes(min="1452 B", max="1452 B"), ordered=ordered),
        **INET,
    )
    return Scenario(network=disjoint(first=LINK, second=SECOND[asymmetry]), flows={CMT: flow})
