"""A measurement and a simulation with equal seeds have equal starting times of flows and equal losses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

import pytest

import manypath as mp
from manypath import _native
from manypath.emulation import Emulation, Pair
from manypath.testbed import runner
from manypath.testbed.contestants import Part
from manypath.testbed.emulation import Host, Running, running
from real_time import needs_emulator


def three_flows() -> mp.Scenario:
    """Return a scenario with a flow of every transport. One flow starts late."""
    link = mp.Link(rate="5 Mbit/s", delay="1 ms")
    flows = {
        "sctp": mp.Sctp(paths=["north", "south"]),
        "tcp": mp.Tcp(path="north", start=mp.Start(earliest="0.5 s", latest="1.5 s")),
        "mptcp": mp.Mptcp(paths=["north", "south"], start=mp.Start(latest="0.1 s")),
    }
    return mp.Scenario(network=mp.disjoint(north=link, south=link), flows=flows, warmup="1 s", measure="1 s")


def simulated_starts(scenario: mp.Scenario, seed: int, file: Path) -> dict[str, float]:
    """Return the time at which each flow of a simulation opens its connection, in seconds."""
    mp.run(scenario, seed=seed, events=file, only=["connectivity:connection_started"])
    _, *events = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {event["flow"]: event["time"] for event in events if event["host"] == "source"}


class Hosts:
    """Replaces an emulation."""

    def host(self, pair: str, side: str) -> None:
        """Return None: the test starts no process on a host."""


class Notes:
    """Replaces a contestant, and records the starts of flows."""

    def __init__(self) -> None:
        self.starts: dict[str, float] = {}

    def start(self, part: Part) -> None:
        """Record the start of the flow."""
        self.starts[part.name] = part.starts


@pytest.mark.parametrize("seed", [1, 7, 2**31 - 1])
def test_flows_start_at_the_same_times_in_testbed_and_simulator(seed: int, tmp_path: Path):
    scenario = three_flows()
    notes = Notes()
    links: Any = Hosts()
    with ExitStack() as processes:
        for name, flow in json.loads(scenario.document())["flows"].items():
            notes.start(runner._part(links, name, flow, 0.0, (1.0, 2.0), seed, processes, None))
    simulated = simulated_starts(scenario, seed, tmp_path / "events.jsonl")
    assert list(notes.starts) == ["sctp", "tcp", "mptcp"]
    assert notes.starts == pytest.approx(simulated, abs=1e-9)


def test_an_empty_range_has_no_random_number():
    assert _native.first_between("flow/a/start", 1, 0, 5, 5) == 5
    with pytest.raises(ValueError, match="`low` is 6, expected 5 or less"):
        _native.first_between("flow/a/start", 1, 0, 6, 5)


PACKETS = 1000
"""Packets that each host sends on each path."""

SEED = 5

EXCHANGE = f"""
import json, socket, sys, time
sockets = {{}}
for path, (local, remote) in json.loads(sys.argv[1]).items():
    sockets[path] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # SO_RCVBUFFORCE: room for all packets, so that only links lose some.
    sockets[path].setsockopt(socket.SOL_SOCKET, 33, 1 << 24)
    sockets[path].bind((local, 5001))
    sockets[path].connect((remote, 5001))
    sockets[path].settimeout(0.5)
print("bound", flush=True)
sys.stdin.readline()
for number in range({PACKETS}):
    for each in sockets.values():
        each.send(number.to_bytes(4, "big"))
    time.sleep(0.001)
print("sent", flush=True)
sys.stdin.readline()
came = {{path: [] for path in sockets}}
for path, each in sockets.items():
    try:
        while True:
            came[path].append(int.from_bytes(each.recv(4), "big"))
    except TimeoutError:
        pass
print(json.dumps(came), flush=True)
"""
"""The program of a host: after a line of input it sends numbered packets on each path, then prints received ones."""

NAMES = count(1)
"""Numbers for unique names of emulations."""


def lossy(paths: Sequence[str], jitter: str) -> mp.Network:
    """Return links with random losses in both directions, and queues that never overflow."""
    link = mp.Link(rate="10 Mbit/s", delay="5 ms", jitter=jitter, loss="5 %", queue=mp.DropTail(packets=10_000))
    return mp.disjoint(**dict.fromkeys(paths, link)).but(access=None)


def simulated_losses(network: mp.Network, paths: Sequence[str], file: Path) -> dict[str, list[bool]]:
    """Return for each link of a simulation whether it lost each packet that entered it."""
    flow = mp.Sctp(paths=paths, cc="newreno", app=mp.Saturated(message="1 kB"))
    scenario = mp.Scenario(network=network, flows={"sctp": flow}, warmup="0 s", measure="30 s")
    only = ["transport:packet_sent", "transport:packet_received", "link:packet_lost", "link:packet_dropped"]
    mp.run(scenario, seed=SEED, events=file, only=only)
    _, *events = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    assert not [event for event in events if event["name"] == "link:packet_dropped"]
    found = {}
    for path in paths:
        for link, sender, receiver in ((path, "source", "sink"), (f"{path}/back", "sink", "source")):
            sent, came = (
                [(event["time"], event["data"]) for event in events if key(event) == (f"transport:packet_{name}", end)]
                for name, end in (("sent", (sender, path)), ("received", (receiver, path)))
            )
            found[link] = lost_of(sent, came)
            taken = [event["time"] for event in events if key(event) == ("link:packet_lost", (sender, link))]
            assert sum(time <= came[-1][0] for time in taken) == sum(found[link])
    return found


def key(event: Mapping[str, Any]) -> tuple[str, tuple[str, str]]:
    """Return the event's name and place: the host with the path, or the sending host with the link."""
    return event["name"], (event["host"], event["data"].get("link", event["path"]))


def lost_of(sent: Sequence[tuple[float, Any]], came: Sequence[tuple[float, Any]]) -> list[bool]:
    """Return whether each packet was lost on a link without reordering. Packets in flight at the end are omitted."""
    waiting = list(reversed(came))
    lost = []
    for at, packet in sent:
        if not waiting:
            break
        # A retransmission may have the same content, but is sent much later.
        arrived, next_one = waiting[-1]
        lost.append(packet != next_one or arrived > at + 0.5)
        if not lost[-1]:
            waiting.pop()
    assert not waiting
    return lost


@contextmanager
def exchanging(host: Host, ends: Mapping[str, tuple[str, str]]) -> Iterator[tuple[IO[str], IO[str]]]:
    """Start the program of a host; yield its input and its output."""
    line = host.command(sys.executable, "-I", "-S", "-c", EXCHANGE, json.dumps(ends))
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        finally:
            process.kill()


def all_have_left(links: Running) -> bool:
    """Return whether every packet has entered its link, and has been lost or delivered."""
    if not links._reports:
        return False
    last = links._reports[-1]
    counted = last["links"].values()
    return last["travelling"] == 0 and all((each["arrived"], each["waiting"]) == (PACKETS, 0) for each in counted)


def emulated_losses(network: mp.Network, paths: Sequence[str]) -> dict[str, list[bool]]:
    """Return for each link of an emulation whether it lost each real packet that entered it."""
    name = f"c{os.getpid()}-{next(NAMES)}"
    emulation = Emulation(name=name, network=network, pairs={"sctp": Pair(paths=tuple(paths))}, seed=SEED)
    with running(emulation) as links, ExitStack() as ends:
        left, right = links.host("sctp", "left"), links.host("sctp", "right")
        hosts = [
            ends.enter_context(exchanging(mine, {path: (mine.addresses[path], far.addresses[path]) for path in paths}))
            for mine, far in ((left, right), (right, left))
        ]
        for expected in ("bound", "sent"):
            for _, printed in hosts:
                assert printed.readline() == f"{expected}\n"
            end = time.monotonic() + 300
            while expected == "sent" and not all_have_left(links):
                assert time.monotonic() < end, "packets stay in the emulator"
                time.sleep(0.05)
            for orders, _ in hosts:
                print(file=orders, flush=True)
        to_left, to_right = (json.loads(printed.readline()) for _, printed in hosts)
        counted = links.stop()["links"]
    assert {link: counts["arrived"] for link, counts in counted.items()} == dict.fromkeys(counted, PACKETS)
    arrived = {**to_right, **{f"{path}/back": numbers for path, numbers in to_left.items()}}
    return {link: [number not in set(numbers) for number in range(PACKETS)] for link, numbers in arrived.items()}


@needs_emulator
@pytest.mark.parametrize(
    ("paths", "jitter"),
    [
        (["one"], "0 ms"),
        (["north", "south"], "5 ms"),
        pytest.param(["one"], "5 ms", marks=pytest.mark.long),
        pytest.param(["north", "south"], "0 ms", marks=pytest.mark.long),
    ],
)
def test_each_link_loses_the_same_packets_as_in_the_simulator(paths: list[str], jitter: str, tmp_path: Path):
    network = lossy(paths, jitter)
    simulated = simulated_losses(network, paths, tmp_path / "events.jsonl")
    emulated = emulated_losses(network, paths)
    assert set(emulated) == set(simulated) == {name for path in paths for name in (path, f"{path}/back")}
    for link, lost in emulated.items():
        both = min(len(lost), len(simulated[link]))
        assert sum(simulated[link][:both]) > 10
        assert lost[:both] == simulated[link][:both], link
