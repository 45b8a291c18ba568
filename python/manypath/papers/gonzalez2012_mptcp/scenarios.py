"""The scenarios of this paper: MPTCP over two bottleneck links, alone or with a TCP connection beside it on each."""

from __future__ import annotations

from manypath.papers.experiment import Experiments
from manypath.papers.gonzalez2012_mptcp.names import MPTCP, PATHS, RENO, RIVALS, SEGMENT, SHEETS
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
"""How often windows and rates are sampled."""

ALONE = ("0 s", "120 s")
"""Runs without TCP beside MPTCP: windows are cut once or twice a minute there, and each run shall see several cuts."""

PUSH = 36.0
"""When B loses a few packets where cuts are to fall apart, s: halfway between two cuts of A."""

RISE = 45.0
"""When the rate of link B rises, s."""

SILENCE = (30.0, 60.0)
"""From when to when link A is down, s."""

ACCESS = Link(rate="1 Gbit/s", delay="0 ms", queue=DropTail(packets=10_000), overhead=0)
"""The wire between a host and its link: the bottleneck is later on ([G12] section 4.1)."""

GREEDY = Saturated(message=Sizes(min=f"{SEGMENT} B", max=f"{SEGMENT} B"))
"""A source that always has a segment to send."""

BUFFER = "4 MB"
"""Send and receive buffers in bytes, three seconds of the fastest scenario: congestion control alone limits a flow."""

TIMESTAMPS = "12 B"
"""Bytes of options in every segment: those that Linux sends."""

START = Start(earliest="0 ms", latest="100 ms")
"""Flows start within one base round-trip time of the shorter path."""


@experiment("figure2", figure=2, window=ALONE, series=EVERY)
def other_rates_without_cross_traffic(cc: str) -> Scenario:
    """Scenario 2, MPTCP alone ([G12] figure 2)."""
    return _alone(2, cc)


@experiment("figure3", figure=3, window=ALONE, series=EVERY)
def other_delays_without_cross_traffic(cc: str) -> Scenario:
    """Scenario 3, MPTCP alone ([G12] figure 3)."""
    return _alone(3, cc)


@experiment("bends", figure=3, window=("0 s", "360 s"), series=EVERY)
def cuts_that_fall_apart(cc: str) -> Scenario:
    """The same, with a few packets of B lost once, halfway between two cuts of A.

    Left to themselves both windows keep step: each cut on B comes a second after every other cut on A, and it
    cannot be told which one bends the curves.
    """
    pushed = (Event(at=f"{PUSH} s", loss=1.0), Event(at=f"{PUSH + 0.01} s", loss=0.0))
    return _with_events(_alone(3, cc), "b", *pushed)


@experiment("figure4", figure=4, series=EVERY)
def equal_links(cc: str) -> Scenario:
    """Scenario 1 with TCP on each link ([G12] figure 4)."""
    return _beside_tcp(1, cc)


@experiment("figure5", figure=5, series=EVERY)
def links_of_other_rates(cc: str) -> Scenario:
    """Scenario 2 with TCP on each link ([G12] figure 5)."""
    return _beside_tcp(2, cc)


@experiment("figure6", figure=6, series=EVERY)
def links_of_other_delays(cc: str) -> Scenario:
    """Scenario 3 with TCP on each link ([G12] figure 6)."""
    return _beside_tcp(3, cc)


@experiment("single", figure=5)
def one_tcp_in_place_of_mptcp(scenario: int, path: str) -> Scenario:
    """One path of a scenario with a second TCP connection in place of the subflow: what the goals compare with."""
    flows = {MPTCP: _tcp(path), RIVALS[path]: _tcp(path)}
    return Scenario(network=_network(scenario), flows=flows)


@experiment("rise", series=EVERY)
def a_link_gets_faster(cc: str) -> Scenario:
    """Scenario 2 with TCP on each link. Link B becomes four times as fast halfway ([G12] section 2)."""
    return _with_events(_beside_tcp(2, cc), "b", Event(at=f"{RISE} s", rate="20 Mbit/s"))


@experiment("silence", figure=5, series=EVERY)
def a_link_fails_for_a_time(cc: str) -> Scenario:
    """Scenario 2 with TCP on each link. Link A is down for half a minute; its subflow has the largest rate."""
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
    """Return the MPTCP connection, whose segments carry no options of MPTCP: the paper implemented none."""
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
    """Let something happen to a link, there and back."""
    network = scenario.network
    changed = {name: network.links[name].but(events=events) for name in (link, f"{link}/back")}
    return scenario.but(network=network.but(links={**network.links, **changed}))
