"""The scenarios of this paper: one CMT flow on two disjoint paths. The second path varies."""

from __future__ import annotations

from typing import Any

from manypath.papers.dreibholz import INET
from manypath.papers.dreibholz2010_asymmetric.buffers import for_fast_retransmissions, for_timeouts
from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    CMT,
    FIRST,
    NONE,
    OFF,
    PLAIN,
    PLOTTED,
    RIVAL,
    RP,
    SECOND,
)
from manypath.papers.experiment import Experiments
from manypath.quantity import SIZE
from manypath.scenario import BitError, DropTail, Event, Link, NoLoss, Red, Saturated, Scenario, Sctp, Sizes, disjoint

experiment = Experiments()

RED = Red(weight=0.002, min=20, max=80, max_p=0.02)
"""The queue of a bottleneck ([D10] section V)."""

LINK = Link(rate="100 Mbit/s", delay="1 ms", queue=RED)
"""One core link ([D10] section V)."""

ACCESS = Link(rate="1 Gbit/s", delay="0.1 ms", queue=DropTail(packets=10_000))
"""The link between a host and its router."""

MESSAGES = Sizes(min="1452 B", max="1452 B")

UNORDERED = Sctp(
    paths=(FIRST, SECOND),
    send_buffer="250 kB",
    receive_buffer="125 kB",
    split_by="buffered",
    sack_path="last-data",
    app=Saturated(message=MESSAGES),
    **INET,
)
"""The flow of figures 4 to 6. Splitting counts buffered bytes (eq. 1, 2); SACKs take the last packet's path (II)."""

ORDERED = UNORDERED.but(
    send_buffer="2.5 MB",
    receive_buffer="2.5 MB",
    never_renege=False,
    app=Saturated(message=MESSAGES, ordered=True),
)
"""The flow of figures 7 and 8; the receiver may renege on data that wait for an earlier message."""

LARGE = {"send_buffer": SIZE.parse("2.5 MB"), "receive_buffer": SIZE.parse("1.25 MB")}
"""Buffers of the plots over delay, in bytes."""

LONG_RTT = 0.040 + 80 * 1507 * 8 / 100e6
"""Round-trip time with 20 ms in each direction and the longest RED queue, s."""

DIP = ("30 s", "35 s")
"""Begin and end of the period in which the second path of one experiment is slow."""

LOSSES = (("22 s", 0.1), ("22110 ms", 1.0), ("22240 ms", 0.0))
"""Loss of the second path in one experiment: a tenth of the packets, a round trip later all retransmissions."""


def _alone(flow: Sctp, second: Link = LINK, first: Link = LINK) -> Scenario:
    network = disjoint(**{FIRST: first, SECOND: second}).but(access=ACCESS)
    return Scenario(network=network, flows={CMT: flow})


def _slower(rate: float) -> Link:
    """Return a link with this rate, Mbit/s."""
    return LINK.but(rate=f"{rate:g} Mbit/s")


def _faulty(errors: float) -> Link:
    """Return a link with this bit error rate."""
    return LINK.but(loss=BitError(rate=errors) if errors else NoLoss())


def _longer(delay: float) -> Link:
    """Return a link with this delay, ms."""
    return LINK.but(delay=f"{delay:g} ms")


def _behind_fifo(split: str, capacity: int, *, send_buffer: str, receive_buffer: str) -> Scenario:
    """Return a scenario of figure 4: 100 and 10 Mbit/s, drop-tail queues of `capacity` packets."""
    link = LINK.but(queue=DropTail(packets=capacity))
    flow = UNORDERED.but(buffer_split=split, send_buffer=send_buffer, receive_buffer=receive_buffer)
    return _alone(flow, link.but(rate="10 Mbit/s"), link)


@experiment("figure4-left", figure=4)
def small_receive_buffer(split: str, capacity: int) -> Scenario:
    """The receive buffer is half as large as the send buffer ([D10] figure 4 left)."""
    return _behind_fifo(split, capacity, send_buffer="250 kB", receive_buffer="125 kB")


@experiment("figure4-middle", figure=4)
def equal_buffers(split: str, capacity: int) -> Scenario:
    """Both buffers are equally large ([D10] figure 4 middle)."""
    return _behind_fifo(split, capacity, send_buffer="250 kB", receive_buffer="250 kB")


@experiment("figure4-right", figure=4)
def small_send_buffer(split: str, capacity: int) -> Scenario:
    """The send buffer is half as large as the receive buffer ([D10] figure 4 right)."""
    return _behind_fifo(split, capacity, send_buffer="125 kB", receive_buffer="250 kB")


@experiment("figure4-inet", figure=4, window=("5 s", "20 s"))
def beside_inet(split: str, by: str, nr: str, settings: str) -> Scenario:
    """Figure 4 left at 100 packets, with the other settings of the plots or of INET.

    INET has no delay on access links, its count of the peer's receive window wraps around, and its SACKs take the path
    with the smallest round-trip time.
    """
    scenario = small_receive_buffer(split, 100)
    flow = scenario.flows[CMT].but(split_by=by, nr_sack=nr != "off", never_renege=nr == "promised")
    if settings == PLOTTED:
        return scenario.but(flows={CMT: flow})
    network = scenario.network.but(access=ACCESS.but(delay="0 ms"))
    return scenario.but(network=network, flows={CMT: flow.but(window_overrun="wraps", sack_path="smallest-srtt")})


@experiment("figure4-early", figure=4, window=("5 s", "20 s"))
def before_the_first_heartbeat(sack_path: str, overrun: str, heartbeats: str) -> Scenario:
    """Figure 4 left, not split, at 100 packets, with other paths of SACKs, rules for a full peer window and heartbeats.

    The first default heartbeat is sent after 30 s.
    """
    scenario = small_receive_buffer(NONE, 100)
    flow = scenario.flows[CMT].but(sack_path=sack_path, window_overrun=overrun, heartbeat_interval=heartbeats)
    return scenario.but(flows={CMT: flow})


@experiment("figure4-late", figure=4, window=("40 s", "39 s"))
def after_the_first_heartbeat(sack_path: str, overrun: str, heartbeats: str) -> Scenario:
    """The same scenario, after the first default heartbeat, to the end of the paper's window."""
    return before_the_first_heartbeat(sack_path, overrun, heartbeats)


def _unordered(cc: str, split: str, **settings: Any) -> Sctp:
    return UNORDERED.but(cc=cc, buffer_split=split, **settings)


def _ordered(cc: str, rescheduling: str, split: str, **settings: Any) -> Sctp:
    return ORDERED.but(cc=cc, rescheduling=rescheduling, buffer_split=split, **settings)


@experiment("figure5-rate", figure=5)
def unordered_rates(split: str, nr: bool, rate: float, cc: str = PLAIN) -> Scenario:
    """The rate of the second path varies ([D10] figure 5 left)."""
    return _alone(_unordered(cc, split, nr_sack=nr), _slower(rate))


@experiment("figure5-errors", figure=5)
def unordered_errors(split: str, nr: bool, reports: bool, errors: float, cc: str = PLAIN) -> Scenario:
    """The bit error rate of the second path varies ([D10] figure 5 middle)."""
    return _alone(_unordered(cc, split, nr_sack=nr, packet_drop_reports=reports), _faulty(errors))


@experiment("figure5-delay", figure=5)
def unordered_delays(split: str, nr: bool, smart: bool, delay: float, cc: str = PLAIN) -> Scenario:
    """The delay of the second path varies ([D10] figure 5 right)."""
    return _alone(_unordered(cc, split, nr_sack=nr, smart_fast_rtx=smart, **LARGE), _longer(delay))


@experiment("figure5-buffers", figure=5)
def delay_and_buffers(scale: float, delay: float) -> Scenario:
    """The best curve of figure 5 right, with buffers `scale` times as large."""
    buffers = {name: f"{round(scale * size)} B" for name, size in LARGE.items()}
    return _alone(_unordered(PLAIN, BOTH, **buffers), _longer(delay))


@experiment("figure5-growth", figure=5, series="10 ms")
def windows_over_the_delay(delay: float) -> Scenario:
    """Windows of the best curve of figure 5 right in ten times the buffers, so that only losses limit them."""
    return delay_and_buffers(10.0, delay)


@experiment("figure5-timeouts", figure=5, window=("19 s", "60 s"))
def timeouts_at_a_long_delay(smart: bool, sack_path: str) -> Scenario:
    """The best curve of figure 5 right at 100 ms, in the paper's window: timeouts are rare ([D10] section III-C)."""
    flow = _unordered(PLAIN, BOTH, nr_sack=True, smart_fast_rtx=smart, sack_path=sack_path, **LARGE)
    return _alone(flow, _longer(100.0))


@experiment("figure5-standstill", figure=5, series="10 ms")
def sending_under_errors(nr: bool, errors: float) -> Scenario:
    """Times at which each path of the unsplit flow of figure 5 middle sends ([D10] section III-A)."""
    return unordered_errors(NONE, nr, reports=False, errors=errors)


@experiment("figure6-rate", figure=6)
def unordered_rates_pooled(split: str, nr: bool, rate: float) -> Scenario:
    """As figure 5 left, under CMT/RP ([D10] figure 6 left)."""
    return unordered_rates(split, nr, rate, cc=RP)


@experiment("figure6-errors", figure=6)
def unordered_errors_pooled(split: str, nr: bool, reports: bool, errors: float) -> Scenario:
    """As figure 5 middle, under CMT/RP ([D10] figure 6 middle)."""
    return unordered_errors(split, nr, reports, errors, cc=RP)


@experiment("figure6-delay", figure=6)
def unordered_delays_pooled(split: str, nr: bool, smart: bool, delay: float) -> Scenario:
    """As figure 5 right, under CMT/RP ([D10] figure 6 right)."""
    return unordered_delays(split, nr, smart, delay, cc=RP)


@experiment("figure6-windows", figure=6, series="10 ms")
def windows_on_equal_paths(split: str) -> Scenario:
    """Windows of CMT/RP on two equal paths ([D10] section VI-B)."""
    return unordered_rates(split, nr=True, rate=100.0, cc=RP)


@experiment("figure6-dip", figure=6, window=(DIP[1], "1 s"), series="10 ms")
def windows_after_a_dip(cc: str) -> Scenario:
    """The second path falls to 1 Mbit/s for 5 s; window curves of the recovery."""
    slow, fast = (Event(at=at, rate=f"{rate} Mbit/s") for at, rate in zip(DIP, (1, 100), strict=True))
    return _alone(_unordered(cc, BOTH), LINK.but(events=(slow, fast)))


@experiment("figure7-rate", figure=7)
def ordered_rates(rescheduling: str, split: str, rate: float, cc: str = PLAIN) -> Scenario:
    """The rate of the second path varies ([D10] figure 7 left)."""
    return _alone(_ordered(cc, rescheduling, split), _slower(rate))


@experiment("figure7-errors", figure=7)
def ordered_errors(rescheduling: str, split: str, reports: bool, errors: float, cc: str = PLAIN) -> Scenario:
    """The bit error rate of the second path varies ([D10] figure 7 middle)."""
    return _alone(_ordered(cc, rescheduling, split, packet_drop_reports=reports), _faulty(errors))


@experiment("figure7-delay", figure=7)
def ordered_delays(rescheduling: str, split: str, smart: bool, delay: float, cc: str = PLAIN) -> Scenario:
    """The delay of the second path varies ([D10] figure 7 right)."""
    return _alone(_ordered(cc, rescheduling, split, smart_fast_rtx=smart), _longer(delay))


@experiment("figure7-promises", figure=7)
def ordered_with_promises(nr: str, rate: float) -> Scenario:
    """Ordered transfer without the paper's mechanisms, when nothing (`off`) or everything (`promised`) is NR-SACKed."""
    return _alone(_ordered(PLAIN, OFF, NONE, nr_sack=nr != "off", never_renege=True), _slower(rate))


@experiment("figure7-rivals", figure=7)
def beside_a_rival(cc: str, rescheduling: str, shared: str, rate: float) -> Scenario:
    """A single-path flow competes on one of the two paths with a multipath flow, with or without rescheduling."""
    flow = _ordered(cc, rescheduling, BOTH)
    buffers = {"send_buffer": flow.send_buffer, "receive_buffer": flow.receive_buffer}
    rival = Sctp.standard(shared, app=UNORDERED.app, sack_path=UNORDERED.sack_path, **buffers, **INET)
    alone = _alone(flow, _slower(rate))
    return alone.but(flows={**alone.flows, RIVAL: rival})


@experiment("figure7-buffers", figure=7)
def ordered_in_small_buffers(rate: float) -> Scenario:
    """Ordered transfer with all mechanisms, in the buffers of figure 5 left."""
    small = {"send_buffer": UNORDERED.send_buffer, "receive_buffer": UNORDERED.receive_buffer}
    return _alone(_ordered(PLAIN, "threshold", BOTH, **small), _slower(rate))


@experiment("figure8-rate", figure=8)
def ordered_rates_pooled(rescheduling: str, split: str, rate: float) -> Scenario:
    """As figure 7 left, under CMT/RP ([D10] figure 8 left)."""
    return ordered_rates(rescheduling, split, rate, cc=RP)


@experiment("figure8-errors", figure=8)
def ordered_errors_pooled(rescheduling: str, split: str, reports: bool, errors: float) -> Scenario:
    """As figure 7 middle, under CMT/RP ([D10] figure 8 middle)."""
    return ordered_errors(rescheduling, split, reports, errors, cc=RP)


@experiment("figure8-delay", figure=8)
def ordered_delays_pooled(rescheduling: str, split: str, smart: bool, delay: float) -> Scenario:
    """As figure 7 right, under CMT/RP ([D10] figure 8 right)."""
    return ordered_delays(rescheduling, split, smart, delay, cc=RP)


@experiment("buffers-fast")
def buffers_around_fast_retransmissions(part: float) -> Scenario:
    """Two equal paths of 20 ms; both buffers are `part` of the size for fast retransmissions ([D10] section IV-A)."""
    size = round(part * for_fast_retransmissions([LONG_RTT], [100e6, 100e6]))
    link = _longer(20.0)
    return _alone(
        _ordered(PLAIN, OFF, NONE, nr_sack=False, send_buffer=f"{size} B", receive_buffer=f"{size} B"), link, link
    )


@experiment("buffers-timeout", window=("22 s", "1200 ms"))
def buffers_around_timeouts(part: float, outage: bool) -> Scenario:
    """Two equal paths of 55 ms; an outage may cause timeouts on the second path ([D10] section IV-A).

    It loses some packets and their fast retransmissions. Only the forward direction fails. The gaps must fit into a
    SACK: about 360 in a packet of 1500 bytes. More gaps would also stop the first path, at any buffer size.
    """
    size = round(part * for_timeouts([0.110], [1.0], [100e6, 100e6]))
    link = _longer(55.0)
    flow = _ordered(PLAIN, OFF, NONE, nr_sack=False, send_buffer=f"{size} B", receive_buffer=f"{size} B")
    scenario = _alone(flow, link, link)
    if not outage:
        return scenario
    failing = link.but(events=[Event(at=at, loss=part) for at, part in LOSSES])
    return scenario.but(network=scenario.network.but(links={**scenario.network.links, SECOND: failing}))
