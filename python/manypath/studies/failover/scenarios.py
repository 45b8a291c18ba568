"""A transfer over two equal paths. The first path fails permanently during the transfer."""

from __future__ import annotations

from manypath.papers.dreibholz import INET
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.experiment import Experiments
from manypath.rows import Outcome
from manypath.scenario import DropTail, Event, Link, Rto, Scenario, Sctp, Sizes, Start, Transfer, disjoint

experiment = Experiments()

FILE = "file"
"""Name of the flow."""

SIZE = "20 MB"
"""Size of the transfer: it takes 16.7 s over one path."""

FAILS = 5.0
"""Time of the failure of the first path, s."""

NEVER = -1
"""Value for RFC 7829 off: no number of errors makes a path potentially failed."""

WAYS = {"one path at a time": False, "both paths at once": True}
"""Standard SCTP with a backup path, and CMT."""

LINK = Link(rate="10 Mbit/s", delay="10 ms", queue=DropTail(packets=50))

RATE = 10e6 / 8 * 1452 / 1507
"""Bytes of messages that a busy path carries, bytes/s: headers and framing take 55 bytes of each packet."""

BUFFER = 250_000
"""Default size of the send and receive buffers, bytes."""


def _transfer(
    concurrent: bool,
    rto_max: int = 60,
    retransmissions: int = 5,
    potentially_failed: int = NEVER,
    buffer: int = BUFFER,
    ordered: bool = True,
) -> Sctp:
    return Sctp(
        paths=("first", "second"),
        concurrent=concurrent,
        rto=Rto(initial="1 s", min="1 s", max=f"{rto_max} s"),
        path_max_retransmissions=retransmissions,
        association_max_retransmissions=2 * (retransmissions + 1),
        potentially_failed_after=None if potentially_failed == NEVER else potentially_failed,
        send_buffer=f"{buffer} B",
        receive_buffer=f"{buffer} B",
        start=Start(earliest="0 s", latest="100 ms"),
        app=Transfer(size=SIZE, message=Sizes(min="1452 B", max="1452 B"), ordered=ordered),
        **INET,
    )


def _first_path_fails(flow: Sctp) -> Scenario:
    """Return a scenario in which the first path fails permanently, in both directions."""
    failing = LINK.but(events=(Event(at=f"{FAILS:g} s", change="down"),))
    return Scenario(network=disjoint(first=failing, second=LINK), flows={FILE: flow})


@experiment("failover", figure=1)
def path_fails(concurrent: bool, rto_max: int, retransmissions: int, potentially_failed: int) -> Scenario:
    """The time of failure detection depends on the sender's constants."""
    return _first_path_fails(_transfer(concurrent, rto_max, retransmissions, potentially_failed))


@experiment("buffers", figure=2)
def path_fails_under_buffers(buffer: int, ordered: bool, potentially_failed: int) -> Scenario:
    """CMT with RFC 9260's constants: the effect of the failed path on the other path depends on buffers."""
    return _first_path_fails(
        _transfer(concurrent=True, potentially_failed=potentially_failed, buffer=buffer, ordered=ordered)
    )


@experiment("undisturbed", figure=1)
def nothing_fails(concurrent: bool) -> Scenario:
    """The same transfer without a failure."""
    return Scenario(network=disjoint(first=LINK, second=LINK), flows={FILE: _transfer(concurrent)})


def end(outcome: Outcome) -> float:
    """Return the end of the transfer, s; NaN if it failed or did not end."""
    flow = outcome["flows"][FILE]
    return flow["closed_at"] if flow["closed"] == "shutdown" else float("nan")


def bytes_before_failure(outcome: Outcome) -> float:
    """Return the bytes that the path carried which fails."""
    return outcome["flows"][FILE]["paths"]["first"]["goodput"] * outcome["measured_seconds"] / 8


def end_at_best(results: Evidence, concurrent: bool) -> Sample:
    """Return the end of the transfer with immediate failure detection, s.

    For standard SCTP that is the end without a failure. For CMT it is the end over one path, less the time in which
    that path sends what the other one carried before its failure. The end of an undisturbed CMT transfer would not do:
    it depends on how both paths share the rest, which the failure changes.
    """
    one_path = results.of_outcomes(end, "undisturbed", concurrent=False)
    if not concurrent:
        return one_path
    case = {"rto_max": 60, "retransmissions": 5, "potentially_failed": NEVER}
    return one_path - results.of_outcomes(bytes_before_failure, "failover", concurrent=True, **case) / RATE
