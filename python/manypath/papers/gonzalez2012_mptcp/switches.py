"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, COUPLED, EXACT, HALVES, PACKET, RENO
from manypath.papers.switch import (
    Change,
    Mutation,
    Switch,
    by_name,
    every_flow,
    hosts_with_jitter,
    links_with,
    multipath_flows,
    replace_control,
    single_path_flows,
)
from manypath.scenario import DropTail, Link, Red, Scenario, Start

LATER = Start(earliest="5 s", latest="5.1 s")
"""A start time at which the other flows have left slow start."""


def _queues_times(factor: float) -> Change:
    """Multiply the size of every drop-tail buffer."""

    def scaled(link: Link) -> Link:
        if not isinstance(link.queue, DropTail) or link.queue.packets is None:
            return link
        return link.but(queue=DropTail(packets=max(1, round(factor * link.queue.packets))))

    return links_with(scaled)


def _red(link: Link) -> Link:
    """Replace a drop-tail buffer by RED of the same size, with thresholds at a quarter and three quarters of it."""
    if not isinstance(link.queue, DropTail) or link.queue.packets is None:
        return link
    size = link.queue.packets
    return link.but(queue=Red(weight=0.002, min=size / 4.0, max=0.75 * size, max_p=0.1, gentle=True, packets=size))


def _late(scenario: Scenario) -> Scenario:
    """Start MPTCP after TCP has filled the links."""
    return multipath_flows(start=LATER)(scenario)


def _settled(scenario: Scenario) -> Scenario:
    """Measure for five minutes after a transient, instead of from the first packet on."""
    return scenario.but(warmup="20 s", measure="300 s")


HALF_BUFFERS = _queues_times(0.5)

OPEN = (
    Switch("initial-window-3", "an initial window of 3 segments", every_flow(initial_window=3)),
    Switch("min-rto-1s", "a retransmission timeout of SRTT plus at least 1 s", every_flow(rto={"min": "1 s"})),
    Switch("rto-rfc6298", "the retransmission timeout of RFC 6298", every_flow(rto={"rule": "rfc6298"})),
    Switch("rival-ack-every-1", "an acknowledgement for every segment of TCP", single_path_flows(ack_every=1)),
    Switch("ack-every-1", "an acknowledgement for every segment", every_flow(ack_every=1)),
    Switch("sack-off", "no selective acknowledgements", every_flow(sack=False)),
    Switch("limited-transmit-off", "no limited transmit", every_flow(limited_transmit=False)),
    Switch("abc-limit-1", "slow start by at most one segment for each acknowledgement", every_flow(abc_limit=1)),
    Switch("start-1s", "all flows start within the first second", every_flow(start=Start())),
    Switch("rivals-late", "TCP starts 5 s after MPTCP", single_path_flows(start=LATER)),
    Switch("mptcp-late", "MPTCP starts 5 s after TCP", _late),
    Switch("queue-half", "half of the buffers: rate times one-way delay", HALF_BUFFERS),
    Switch("queue-double", "twice the buffers", _queues_times(2.0)),
    Switch("framing", "7 bytes of framing for each packet", links_with(lambda link: link.but(overhead="7 B"))),
    Switch("jitter", "hosts with random delays of up to a packet's time", hosts_with_jitter(PACKET)),
    Switch("red", "RED over the same buffers", links_with(_red)),
)
"""Settings that the paper leaves open, one changed at a time."""

CAUSES = (
    Switch("lia", "the exact maximum", replace_control(APPROXIMATED, EXACT)),
    Switch("settled", "300 s after a transient of 20 s, instead of 85 s from the start", _settled),
    Switch(
        "queue-half, mptcp-late",
        "both half of the buffers and MPTCP starting 5 s after TCP",
        lambda scenario: _late(HALF_BUFFERS(scenario)),
    ),
    Switch("queue-quarter", "a quarter of the buffers", _queues_times(0.25)),
)
"""Further suspected causes of contradicted claims."""

SWITCHES = by_name((*CAUSES, *OPEN))
"""All switches that may be a cause, by name."""

MUTATIONS = (
    Mutation(
        "mptcp-is-reno",
        "MPTCP without its coupling",
        replace_control(APPROXIMATED, RENO),
        flips=(
            *("C-001-1", "C-001-3", "C-001-4", "C-001-5", "C-001-6", "C-001-8", "C-001-9", "C-001-11", "C-001-14"),
            *("C-001-10", "C-001-15", "C-001-17", "C-001-18", "C-001-20", "C-001-22"),
        ),
    ),
    Mutation(
        "mptcp-is-coupled",
        "coupled decreases, too",
        replace_control(APPROXIMATED, COUPLED),
        flips=("C-001-2", "C-001-3", "C-001-12"),
    ),
    Mutation(
        "mptcp-is-ewtcp",
        "each subflow half as aggressive as TCP, at any round-trip time",
        replace_control(APPROXIMATED, HALVES),
        flips=("C-001-3", "C-001-4", "C-001-6", "C-001-10", "C-001-22"),
    ),
    Mutation("mptcp-is-olia", "OLIA in place of linked increases", replace_control(APPROXIMATED, "olia")),
    Mutation("mptcp-is-exact", "the exact maximum", replace_control(APPROXIMATED, EXACT)),
    Mutation("coupled-is-linked", "uncoupled decreases", replace_control(COUPLED, EXACT), flips=("C-001-2",)),
    Mutation(
        "tcp-is-meek",
        "TCP with a quarter of its window growth",
        single_path_flows(cc="weighted-aimd:weight=0.5"),
        flips=("C-001-1", "C-001-18"),
    ),
    Mutation(
        "reno-is-linked",
        "linked increases in place of uncoupled control",
        replace_control(RENO, EXACT),
        flips=("C-001-5",),
    ),
    Mutation(
        "small-buffers",
        "send buffers of 30,000 bytes",
        every_flow(send_buffer="30 kB"),
        flips=("C-001-13", "C-001-19"),
    ),
)
"""Wrong implementations, and the claims that must detect them."""
