"""The simulations whose tables are in the documentation (`results.py` runs them)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import manypath as mp
from manypath.papers.gonzalez2012_mptcp.names import MPTCP, RIVALS
from manypath.papers.gonzalez2012_mptcp.scenarios import ACCESS, equal_links
from manypath.studies.failover.study import STUDY as FAILOVER
from manypath.studies.which_mechanism.study import STUDY as WHICH_MECHANISM
from results import Column, Idealised, Simulated, Studied


def goodput(*flow_names: str) -> Callable[[Mapping[str, Any]], float]:
    """Return the measurement of the goodput of flows, Mbit/s."""
    return lambda outcome: sum(outcome["flows"][name]["goodput"] for name in flow_names) / 1e6


def of_flow(flow: str, measurement: str) -> Callable[[Mapping[str, Any]], float]:
    """Return a measurement of a flow."""
    return lambda outcome: outcome["flows"][flow][measurement]


def latency(flow: str, measurement: str) -> Callable[[Mapping[str, Any]], float]:
    """Return a measurement of the latency of the messages of a flow, s."""
    return lambda outcome: outcome["flows"][flow]["latency"][measurement]


def of_path(flow: str, path: str, measurement: str) -> Callable[[Mapping[str, Any]], float]:
    """Return a measurement of a path of a flow."""
    return lambda outcome: outcome["flows"][flow]["paths"][path][measurement]


def lossy(rate: str, delay: str) -> tuple[mp.Link, mp.Link]:
    """Return both directions of a path that loses 0.1 % of the packets in the direction of the data only."""
    link = mp.Link(rate=rate, delay=delay)
    return link.but(loss=0.001), link


def timeouts_of_tcp(rto: mp.TcpRto) -> mp.Scenario:
    """Return a Multipath TCP flow whose far path has a constant round-trip time of 200 ms."""
    network = mp.disjoint(near=lossy("100 Mbit/s", "25 ms"), far=lossy("100 Mbit/s", "100 ms"))
    flow = mp.Mptcp(paths=["near", "far"], cc="cmt-rpv2", rto=rto, ack_every=1)
    return mp.Scenario(network=network, flows={"mptcp": flow}, warmup="20 s", measure="1000 s")


def timeouts_of_sctp(granularity: str, sack_every: int) -> mp.Scenario:
    """Return an SCTP flow over a path with a round-trip time of 1.2 s."""
    flow = mp.Sctp(paths=["path"], rto=mp.Rto(granularity=granularity), sack_every=sack_every)
    network = mp.disjoint(path=lossy("10 Mbit/s", "600 ms"))
    return mp.Scenario(network=network, flows={"sctp": flow}, warmup="20 s", measure="600 s")


def unequal_delays(rtt_sample: str, delay: str) -> mp.Scenario:
    """Return a CMT flow over two paths. The delay of the second is longer."""
    network = mp.disjoint(a=mp.Link(rate="20 Mbit/s", delay="10 ms"), b=mp.Link(rate="10 Mbit/s", delay=delay))
    buffers = {"send_buffer": "4 MB", "receive_buffer": "4 MB"}
    flow = mp.Sctp(paths=["a", "b"], cc="cmt-rpv2", rtt_sample=rtt_sample, **buffers)
    return mp.Scenario(network=network, flows={"cmt": flow})


def share_without_sack(ack_every: int) -> mp.Scenario:
    """Return a TCP flow and a Multipath TCP flow with one path, both without SACK, on one link."""
    link = mp.Link(rate="10 Mbit/s", delay="10 ms", queue=mp.DropTail(packets=100))
    settings: dict[str, Any] = {"sack": False, "limited_transmit": False, "ack_every": ack_every}
    flows = {"tcp": mp.Tcp(path="path", **settings), "mptcp": mp.Mptcp(paths=["path"], **settings)}
    return mp.Scenario(network=mp.disjoint(path=link), flows=flows, warmup="20 s", measure="120 s")


def behind_jitter(cc: str, jitter: str) -> mp.Scenario:
    """Return scenario 1 of [G12] with jitter on the wires of all hosts."""
    scenario = equal_links(cc).but(warmup="0 s", measure="85 s")
    return scenario.but(network=scenario.network.but(access=ACCESS.but(jitter=jitter)))


def paced(packets: int, pacing: bool) -> mp.Scenario:
    """Return the scenario of `examples/pacing.toml`."""
    link = mp.Link(rate="20 Mbit/s", delay="25 ms", queue=mp.DropTail(packets=packets))
    flows = {
        "one path": mp.Sctp(paths=["alone"], cc="newreno", pacing=pacing),
        "two paths": mp.Sctp(paths=["first", "second"], cc="cmt-rpv2", pacing=pacing),
    }
    network = mp.disjoint(alone=link, first=link, second=link)
    return mp.Scenario(network=network, flows=flows, warmup="20 s", measure="100 s")


def dead_path(concurrent: bool, settings: Mapping[str, Any]) -> mp.Scenario:
    """Return a flow of 50 kbit/s whose first path fails permanently."""
    link = mp.Link(rate="1 Mbit/s", delay="20 ms")
    network = mp.disjoint(first=link.but(events=[mp.Event(at="30 s", change="down")]), second=link)
    app = mp.Cbr(rate="50 kbit/s")
    flow = mp.Sctp(paths=["first", "second"], concurrent=concurrent, app=app, **settings)
    return mp.Scenario(network=network, flows={"cbr": flow}, warmup="10 s", measure="200 s")


def share(outcome: Mapping[str, Any]) -> float:
    """Return the share of the TCP flow."""
    return goodput("tcp")(outcome) / goodput("tcp", "mptcp")(outcome)


def in_megabits(path: str) -> Callable[[Mapping[str, Any]], float]:
    """Return the measurement of the goodput of a path of the CMT flow, Mbit/s."""
    return lambda outcome: of_path("cmt", path, "goodput")(outcome) / 1e6


def per_second(outcome: Mapping[str, Any]) -> float:
    """Return the packets with data per second of the far path."""
    return of_path("mptcp", "far", "data_packets")(outcome) / 1000.0


def lost(flow: str) -> Callable[[Mapping[str, Any]], float]:
    """Return the measurement of the lost packets of a flow, %."""
    return lambda outcome: of_flow(flow, "loss_rate")(outcome) * 100.0


RULES = {
    '`rule="rfc6298"`': mp.TcpRto(rule="rfc6298"),
    '`rule="rfc6298"`, `min="400 ms"`': mp.TcpRto(rule="rfc6298", min="400 ms"),
    '`rule="linux"`': mp.TcpRto(rule="linux"),
}
"""Rules of TCP's timeout."""

SAMPLES = ("any-sack", "same-path")
"""What gives round-trip times of a path."""

DETECTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "`path_max_retransmissions=2`": {"path_max_retransmissions": 2},
    "`path_max_retransmissions=0`": {"path_max_retransmissions": 0},
    '`rto=mp.Rto(max="5 s")`': {"rto": mp.Rto(max="5 s")},
    '`rto=mp.Rto(min="200 ms")`': {"rto": mp.Rto(min="200 ms")},
    "`potentially_failed_after=0`": {"potentially_failed_after": 0},
    '`potentially_failed_after=0, rto=mp.Rto(min="200 ms")`': {
        "potentially_failed_after": 0,
        "rto": mp.Rto(min="200 ms"),
    },
}
"""Settings of SCTP on which the detection of a failed path depends."""

JITTERS = ("0 ms", "0.05 ms", "0.2 ms", "1 ms", "2.4 ms", "5 ms")
"""Jitter of the wires. The transmission time of a packet at the bottleneck is 2.4 ms."""

TABLES: dict[str, Simulated | Studied | Idealised] = {
    "timeouts-tcp": Simulated(
        "explanation/timeouts.md",
        ("rule",),
        {(name,): {"": timeouts_of_tcp(rto)} for name, rto in RULES.items()},
        (
            Column("packets/s", per_second),
            Column("timeouts", of_path("mptcp", "far", "timeouts")),
            Column("fast retransmissions", of_path("mptcp", "far", "fast_retransmissions")),
        ),
        runs=12,
    ),
    "timeouts-sctp": Simulated(
        "explanation/timeouts.md",
        ("granularity", "`sack_every`"),
        {
            (name, str(every)): {"": timeouts_of_sctp("0 s" if name == "none" else name, every)}
            for every in (2, 1)
            for name in ("none", "1 ms", "10 ms", "50 ms")
        },
        (Column("timeouts", of_flow("sctp", "timeouts")), Column("goodput, Mbit/s", goodput("sctp"))),
        runs=12,
    ),
    "rtt-samples": Simulated(
        "explanation/timeouts.md",
        ("delay of b",),
        {
            (delay,): {sample: unequal_delays(sample, delay) for sample in SAMPLES}
            for delay in ("10 ms", "20 ms", "25 ms", "30 ms", "50 ms", "100 ms")
        },
        tuple(Column(f"b, `{sample}`", in_megabits("b"), sample) for sample in SAMPLES),
        runs=12,
    ),
    "share-without-sack": Simulated(
        "explanation/timeouts.md",
        ("`ack_every`",),
        {(str(every),): {"": share_without_sack(every)} for every in (2, 1)},
        (Column("share of the TCP flow", share),),
        runs=12,
    ),
    "jitter": Simulated(
        "explanation/queues-and-losses.md",
        ("jitter of every wire",),
        {(jitter,): {cc: behind_jitter(cc, jitter) for cc in ("lia", "newreno")} for jitter in JITTERS},
        (
            Column("Multipath TCP, `lia`", goodput(MPTCP), "lia"),
            *(Column(f"TCP on {path.upper()}", goodput(rival), "lia") for path, rival in RIVALS.items()),
            Column("Multipath TCP, uncoupled", goodput(MPTCP), "newreno"),
        ),
        runs=30,
    ),
    "pacing": Simulated(
        "how-to/net.md",
        ("queue, packets",),
        {
            (str(packets),): {word: paced(packets, pacing) for word, pacing in (("", False), ("paced", True))}
            for packets in (10, 20, 50)
        },
        tuple(
            Column(f"{flow}: {what}{', paced' if variant else ''}", measure, variant)
            for flow in ("one path", "two paths")
            for what, measure in (("Mbit/s", goodput(flow)), ("lost, %", lost(flow)))
            for variant in ("", "paced")
        ),
        runs=5,
    ),
    "fluid-and-ideal": Idealised(
        "how-to/given-losses.md",
        (
            ("coupled", (0.001, 0.004), ("100 ms", "100 ms")),
            ("coupled", (0.01, 0.01), ("100 ms", "100 ms")),
            ("coupled", (0.001, 0.002), ("100 ms", "50 ms")),
            ("cmt-rpv2", (0.001, 0.004), ("100 ms", "100 ms")),
            ("cmt-rpv2", (0.001, 0.002), ("100 ms", "50 ms")),
            ("cmt-rpv2", (0.005, 0.001), ("20 ms", "200 ms")),
            ("olia", (0.001, 0.004), ("100 ms", "100 ms")),
        ),
        runs=8,
    ),
    "dead-path": Simulated(
        "explanation/failover.md",
        ("settings",),
        {
            (name,): {word: dead_path(concurrent, settings) for word, concurrent in (("both", True), ("one", False))}
            for name, settings in DETECTIONS.items()
        },
        tuple(
            Column(f"{head}: {what}, s", latency("cbr", measurement), variant)
            for head, variant in (("both paths at once", "both"), ("one path at a time", "one"))
            for what, measurement in (("99th percentile", "p99"), ("longest", "max"))
        ),
        runs=12,
    ),
    "failover": Studied("explanation/failover.md", FAILOVER, "Ends and delays"),
    "failover-buffers": Studied("explanation/failover.md", FAILOVER, "Ends over buffers"),
    "which-mechanism": Studied("explanation/which-mechanism.md", WHICH_MECHANISM, "Smallest sufficient combinations"),
}
"""The tables by name."""
