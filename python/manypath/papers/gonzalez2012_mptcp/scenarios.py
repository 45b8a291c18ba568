"""The scenarios of this paper: MPTCP over two bottleneck links, alone or with TCP cross traffic on each."""

from __future__ import annotations

from manypath.papers.experiment import Experiments
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, MPTCP, PATHS, RENO, RIVALS, SEGMENT, SHEETS
from manypath.scenario import (
    DropTail,
    Event,
    Link,
    Mptcp,
    Network,
    Saturated,
    Scenario,
    Sizes,
    Start,
    Tcp,
    disjoint,
)

experiment = Experiments()

EVERY = "50 ms"
"""Sampling interval of windows and rates."""

ALONE = ("0 s", "120 s")
"""Window of runs without cross traffic: only one or two window reductions a minute occur there."""

PUSH = 36.0
"""Time of a loss of a few packets on B, halfway between two window reductions on A, s."""

RISE = 45.0
"""Time of the rate increase of link B, s."""

SILENCE = (30.0, 60.0)
"""Begin and end of the outage of link A, s."""

ACCESS = Link(rate="1 Gbit/s", delay="0 ms", queue=DropTail(packets=10_000), overhead=0)
"""The link between a host and its bottleneck link ([G12] section 4.1)."""

GREEDY = Saturated(message=Sizes(min=f"{SEGMENT} B", max=f"{SEGMENT} B"))
"""A source that always has a segment to send."""

BUFFER = "4 MB"
"""Send and receive buffers, three seconds of the fastest scenario: only congestion control limits a flow."""

TIMESTAMPS = "12 B"
"""Option bytes in every segment: the timestamps of Linux."""

SIGNALLING = "32 B"
"""Option bytes with a data sequence signal of 4-byte numbers beside the timestamps (RFC 8684 section 3.3)."""

START = Start(earliest="0 ms", latest="100 ms")
"""Start times of the flows: within one base round-trip time of the shorter path."""


@experiment("figure2", figure=2, window=ALONE, series=EVERY)
def other_rates_without_cross_traffic(cc: str) -> Scenario:
    """Scenario 2 without cross traffic ([G12] figure 2)."""
    return _alone(2, cc)


@experiment("figure3", figure=3, window=ALONE, series=EVERY)
def other_delays_without_cross_traffic(cc: str) -> Scenario:
    """Scenario 3 without cross traffic ([G12] figure 3)."""
    return _alone(3, cc)


@experiment("bends", figure=3, window=("0 s", "360 s"), series=EVERY)
def separated_window_reductions(cc: str) -> Scenario:
    """Scenario 3 without cross traffic, with one loss of a few packets on B, halfway between two reductions on A.

    Without this loss both windows synchronise: each reduction on B follows a second after every other reduction on A.
    Then the cause of a bend cannot be identified.
    """
    pushed = (Event(at=f"{PUSH} s", loss=1.0), Event(at=f"{PUSH + 0.01} s", loss=0.0))
    return _with_events(_alone(3, cc), "b", *pushed)


@experiment("figure4", figure=4, series=EVERY)
def equal_links(cc: str) -> Scenario:
    """Scenario 1 with cross traffic ([G12] figure 4)."""
    return _beside_tcp(1, cc)


@experiment("figure5", figure=5, series=EVERY)
def links_with_different_rates(cc: str) -> Scenario:
    """Scenario 2 with cross traffic ([G12] figure 5)."""
    return _beside_tcp(2, cc)


@experiment("figure6", figure=6, series=EVERY)
def links_with_different_delays(cc: str) -> Scenario:
    """Scenario 3 with cross traffic ([G12] figure 6)."""
    return _beside_tcp(3, cc)


@experiment("single", figure=5)
def one_tcp_in_place_of_mptcp(scenario: int, path: str) -> Scenario:
    """One path of a scenario with a second TCP connection in place of the subflow, as a reference for the goals."""
    flows = {MPTCP: _tcp(path), RIVALS[path]: _tcp(path)}
    return Scenario(network=_network(scenario), flows=flows)


@experiment("signalling")
def with_signalling(scenario: int) -> Scenario:
    """A scenario with cross traffic, where each segment of MPTCP has a data sequence signal ([G12] section 3)."""
    plain = _beside_tcp(scenario, APPROXIMATED)
    return plain.but(flows={**plain.flows, MPTCP: plain.flows[MPTCP].but(option_bytes=SIGNALLING)})


@experiment("rise", series=EVERY)
def a_link_gets_faster(cc: str) -> Scenario:
    """Scenario 2 with cross traffic; link B becomes four times as fast halfway ([G12] section 2)."""
    return _with_events(_beside_tcp(2, cc), "b", Event(at=f"{RISE} s", rate="20 Mbit/s"))


@experiment("silence", figure=5, series=EVERY)
def a_link_fails_for_a_time(cc: str) -> Scenario:
    """Scenario 2 with cross traffic; link A, whose subflow has the largest rate, is down for half a minute."""
    down, up = SILENCE
    return _with_events(_beside_tcp(2, cc), "a", Event(at=f"{down} s", change="down"), Event(at=f"{up} s", change="up"))


def _alone(number: int, cc: str) -> Scenario:
    return Scenario(network=_network(number), flows={MPTCP: _mptcp(cc)})


def _beside_tcp(number: int, cc: str) -> Scenario:
    flows = {MPTCP: _mptcp(cc), **{name: _tcp(path) for path, name in RIVALS.items()}}
    return Scenario(network=_network(number), flows=flows)


def _network(number: int) -> Network:
    sheet = SHEETS[number]
    links = {
        path: Link(
            rate=f"{sheet.rates[path]:g} Mbit/s",
            delay=f"{sheet.delays[path]:g} ms",
            queue=DropTail(packets=sheet.buffer(path)),
            overhead=0,
        )
        for path in PATHS
    }
    return disjoint(**links).but(access=ACCESS)


def _mptcp(cc: str) -> Mptcp:
    """Return the MPTCP connection; its segments have no MPTCP options, because the paper implements none."""
    return Mptcp(
        paths=PATHS,
        cc=cc,
        option_bytes=TIMESTAMPS,
        app=GREEDY,
        send_buffer=BUFFER,
        receive_buffer=BUFFER,
        start=START,
    )


def _tcp(path: str) -> Tcp:
    return Tcp(
        path=path,
        cc=RENO,
        option_bytes=TIMESTAMPS,
        app=GREEDY,
        send_buffer=BUFFER,
        receive_buffer=BUFFER,
        start=START,
    )


def _with_events(scenario: Scenario, link: str, *events: Event) -> Scenario:
    """Add events to both directions of a link."""
    network = scenario.network
    changed = {name: network.links[name].but(events=events) for name in (link, f"{link}/back")}
    return scenario.but(network=network.but(links={**network.links, **changed}))
