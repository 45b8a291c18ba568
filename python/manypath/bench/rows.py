"""Scenarios of the benchmark, with SCTP and TCP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from manypath.arguments import each_once
from manypath.errors import UserError, quoted, remedy
from manypath.scenario import (
    DropTail,
    Link,
    Mptcp,
    Network,
    Path,
    Red,
    Saturated,
    Scenario,
    Sctp,
    Start,
    Tcp,
    TcpRto,
    disjoint,
    dumbbell,
)


def rivals(rate: str, cc: str, measure: str) -> Scenario:
    """Return two disjoint paths, with a CMT association on both and a single-path rival on one ([D11])."""
    link = Link(rate=rate, delay="1 ms")
    app = Saturated(message="1452 B")
    return Scenario(
        network=disjoint(south=link, north=link),
        flows={
            "cmt": Sctp(paths=["south", "north"], cc=cc, app=app),
            "single": Sctp(paths=["south"], app=app),
        },
        warmup="10 s",
        measure=measure,
    )


def divided(second: str, measure: str) -> Scenario:
    """Return a CMT association with small, divided buffers on 100 Mbit/s and `second`: gaps in every SACK ([D10])."""
    links = {name: Link(rate=rate, delay="1 ms") for name, rate in (("south", "100 Mbit/s"), ("north", second))}
    flow = Sctp(
        paths=list(links),
        app=Saturated(message="1452 B"),
        send_buffer="250 kB",
        receive_buffer="125 kB",
        buffer_split="both",
        split_by="buffered",
    )
    return Scenario(network=disjoint(**links), flows={"cmt": flow}, warmup="10 s", measure=measure)


def pair(ack_every: int) -> Scenario:
    """Return two TCP flows over one link of 10 Mbit/s."""
    link = Link(rate="10 Mbit/s", delay="10 ms", queue=DropTail(packets=100), overhead=0)
    network = dumbbell(link, senders=[_access("1 ms")] * 2, receivers=[_access("1 ms")] * 2)
    starts = (Start(earliest="0 s", latest="0 s"), Start(earliest="0.1 s", latest="0.1 s"))
    return _from_the_start(network, (_tcp(ack_every, start) for start in starts), "300 s")


def independent_flows(ack_every: int) -> Scenario:
    """Return two TCP flows on separate links of 100 Mbit/s, without access links."""
    link = Link(rate="100 Mbit/s", delay="1 ms", queue=DropTail(packets=100), overhead=0)
    network = disjoint(path1=link, path2=link).but(access=None)
    return _from_the_start(network, [_tcp(ack_every, Start(earliest="0 s", latest="0 s"))] * 2, "60 s")


def one_of_both() -> Scenario:
    """Return the network of `independent_flows` with one MPTCP connection, with 20 bytes of options in each segment."""
    app = Saturated(message="1440 B")
    flow = Mptcp(paths=["path1", "path2"], cc="lia", ack_every=1, app=app, rto=RTO, start=Start(earliest=0, latest=0))
    return independent_flows(ack_every=1).but(flows={"mptcp": flow})


def crowd() -> Scenario:
    """Return 64 TCP flows with different RTTs over one link of 60 Mbit/s with RED."""
    queue = Red(min=25, max=75, max_p=0.1, weight=0.002, gentle=True, packets=300)
    link = Link(rate="60 Mbit/s", delay="20 ms", queue=queue, overhead=0)
    receivers = [_access(f"{number * 1_000_000 // 3} ns") for number in range(64)]
    network = dumbbell(link, senders=[_access("2 ms")] * 64, receivers=receivers)
    return _from_the_start(network, [_tcp(1, Start())] * 64, "100 s")


def unequal_paths() -> Scenario:
    """Return htsim's test of two paths: three TCP flows on each, and MPTCP on both, beyond access links."""
    links: dict[str, Link] = {}
    paths: dict[str, Path] = {}
    flows: dict[str, Tcp | Mptcp] = {}
    start = Start(earliest="0 s", latest="0.05 s")
    for number, rate, delay, packets in ((1, 1_992_000, "75 ms", 302), (2, 4_800_000, "5 ms", 19)):
        core = Link(rate=f"{rate} bit/s", delay=delay, queue=DropTail(packets=packets), overhead=0)
        access = core.but(rate=f"{2 * rate} bit/s", delay="1 us", queue=DropTail(packets=2000))
        back = core.but(queue=DropTail(packets=2000))
        links |= {f"core{number}": core, f"core{number}/back": back}
        for flow in range(4):
            name = f"access{number}{flow}"
            links |= {name: access, f"{name}/back": access}
            way_back = (f"core{number}/back", f"{name}/back")
            paths[f"path{number}{flow}"] = Path(forward=(name, f"core{number}"), reverse=way_back)
        flows |= {f"tcp{number}{flow}": _tcp(1, start)(f"path{number}{flow}") for flow in range(3)}
    app = Saturated(message="1440 B")
    flows["mptcp"] = Mptcp(paths=["path13", "path23"], cc="lia", ack_every=1, app=app, rto=RTO, start=start)
    network = Network(links=links, paths=paths, access=None)
    return Scenario(network=network, flows=flows, warmup="0 s", measure="1000 s")


def _access(delay: str) -> Link:
    return Link(rate="100 Mbit/s", delay=delay, queue=DropTail(packets=10_000), overhead=0)


def _tcp(ack_every: int, start: Start) -> Callable[[str], Tcp]:
    """Return a function that makes a TCP flow with full segments on a path."""
    app = Saturated(message="1460 B")
    return lambda path: Tcp(path=path, ack_every=ack_every, app=app, rto=RTO, start=start)


def _from_the_start(network: Network, flows: Iterable[Callable[[str], Tcp]], measure: str) -> Scenario:
    """Return a scenario with one flow on each path and without warm-up."""
    named = {f"flow{number}": flow(f"path{number}") for number, flow in enumerate(flows, 1)}
    return Scenario(network=network, flows=named, warmup="0 s", measure=measure)


RTO = TcpRto(min="1 s", rule="rfc6298")
"""RFC 6298 section 2, as in ns-3. With the 200 ms of common hosts, `crowd` loses a quarter more of its packets."""

ROWS: Mapping[str, Callable[[], Scenario]] = {
    "D10/newreno": lambda: rivals("10 Mbit/s", "newreno", "5000 s"),
    "D10/cmt-rpv2": lambda: rivals("10 Mbit/s", "cmt-rpv2", "5000 s"),
    "D100/newreno": lambda: rivals("100 Mbit/s", "newreno", "450 s"),
    "D100+100/split": lambda: divided("100 Mbit/s", "450 s"),
    "D100+10/split": lambda: divided("10 Mbit/s", "450 s"),
    "A": lambda: pair(ack_every=1),
    "A/delayed": lambda: pair(ack_every=2),
    "B/tcp": lambda: independent_flows(ack_every=1),
    "B/tcp-delayed": lambda: independent_flows(ack_every=2),
    "B/mptcp-lia": one_of_both,
    "C": crowd,
    "T": unequal_paths,
}
"""The rows by name: scenario before the slash, variant after it."""


def names(wanted: list[str]) -> list[str]:
    """Return the rows that `wanted` names, in full or by the part before the slash; all rows if it is empty."""
    if not wanted:
        return list(ROWS)
    each_once("scenario", wanted, "row")
    found: list[str] = []
    for word in wanted:
        rows = [word] if word in ROWS else [name for name in ROWS if word == name.split("/")[0]]
        if not rows:
            raise UserError(f"scenario: {quoted(word)} is no row of the benchmark: {remedy(word, ROWS)}")
        found += [name for name in rows if name not in found]
    return found
