"""Transfers over links that lose, duplicate, reorder and delay packets, stop delivering, and flap."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from capture import DATA, NR_SACK
from network import Host, Network, emulated, meddled, meet, wired
from peer import Peer
from program import Program, Transfers, document
from stacks import TIMES
from stage import RAW4, RAW6, UDP4, UDP6, Carrier

import manypath as mp
from lists import cases

pytestmark = pytest.mark.interop

LARGEST_CHUNK = 1500
"""A message size in bytes that needs several DATA chunks on these links."""

LINK = mp.Link(rate="20 Mbit/s", delay="10 ms")
"""A link without faults."""

BAD_LINKS = {
    "random_losses": partial(emulated, link=LINK.but(loss=mp.Bernoulli(p="3 %"))),
    "bursts_of_losses": partial(emulated, link=LINK.but(loss=mp.GilbertElliott(to_bad="1 %", to_good="30 %"))),
    "jitter": partial(emulated, link=LINK.but(jitter="40 ms")),
    "damage": partial(emulated, link=LINK.but(loss=mp.BitError(rate=3e-6))),
    "doubled_and_reordered": partial(meddled, share=0.1),
}
"""Networks with different faults."""


@contextmanager
def transfers(network: Network, folder: Path, carrier: Carrier = UDP4) -> Iterator[Transfers]:
    """Yield transfers from the left host to the right one."""
    with Transfers(network.left, network.right, folder, carrier) as running:
        yield running


@contextmanager
def limited(folder: Path, carrier: Carrier = UDP4, paths: int = 2) -> Iterator[tuple[Network, Transfers]]:
    """Yield a network without faults and its transfers.

    Its rate is so low that no transfer ends before the fault, however late a busy machine causes it. After the fault, a
    test raises the rate by `quicken`.
    """
    with wired(paths) as network, transfers(network, folder, carrier) as on:
        limit(network, "2mbit")
        yield network, on


def limit(network: Network, rate: str) -> None:
    """Limit the rate of all paths in both directions."""
    for host in (network.left, network.right):
        host.limit(rate)


def quicken(network: Network) -> None:
    """Let a transfer end soon."""
    limit(network, "40mbit")


OVER_BAD_LINKS = [
    ("random_losses", UDP4),
    ("random_losses", RAW6),
    ("bursts_of_losses", UDP6),
    ("jitter", UDP4),
    ("damage", RAW4),
    ("doubled_and_reordered", UDP4),
    *(
        pytest.param(links, carrier, marks=pytest.mark.long)
        for links, carrier in (("random_losses", RAW4), ("bursts_of_losses", UDP4), ("damage", UDP4))
    ),
]
"""Each fault over UDP and IPv4, and some of them over the other carriers. The gate has each fault and each carrier."""


def bad_links(*gate: str) -> list[Any]:
    """Return every network of `BAD_LINKS` as a parameter; those that are not named are in the long list."""
    return cases(BAD_LINKS, long=lambda links: links not in gate)


@pytest.mark.parametrize(("links", "carrier"), OVER_BAD_LINKS, ids=str)
def test_a_file_arrives_over_bad_links(tmp_path: Path, links: str, carrier: Carrier) -> None:
    with BAD_LINKS[links](2) as network, transfers(network, tmp_path, carrier) as on:
        file = on.file(4_000_000)
        receiver = on.receive(captured=True)
        sender = on.send(file, "--streams", "4", captured=True)
        sender.ends_well()
        receiver.ends_well()
        on.arrived(file)
        carried_data(on.examine(sender, receiver), file)


@pytest.mark.parametrize("links", bad_links("bursts_of_losses", "doubled_and_reordered"))
def test_every_byte_arrives_once_over_bad_links(links: str) -> None:
    total, size, streams = 1_500_000, 3000, 3
    ends = {"send": total, "size": size, "streams": streams, "expect": total, "unordered": True, "timeout": 400}
    with BAD_LINKS[links](2) as network:
        both_receive(network, total, size, streams, ends)


@pytest.mark.parametrize("links", bad_links("random_losses", "doubled_and_reordered"))
def test_both_sides_of_perf_count_every_byte_over_bad_links(tmp_path: Path, links: str) -> None:
    total = 1_500_000
    with BAD_LINKS[links](2) as network, transfers(network, tmp_path) as on:
        server = on.start(on.receiver, "perf", "--listen", "--once", "--json", "--bind", ",".join(on.receiver.ipv4))
        server.wait_for("waiting on ")
        words = ["--both", "--unordered", "--streams", "3", "--size", "3000", "--bytes", str(total), "--json"]
        client = on.start(on.sender, "perf", *on.ends(), *words)
        for side in (client, server):
            end = document(side.ends_well())["end"]
            for name in ("sum_sent", "sum_received", "sum_sent_bidir_reverse", "sum_received_bidir_reverse"):
                assert end[name]["bytes"] == total, f"{side}: {name} of {end}"


@pytest.mark.parametrize("silent", [0, 1])
def test_a_transfer_continues_on_the_other_path_when_one_stops_delivering(tmp_path: Path, silent: int) -> None:
    with limited(tmp_path) as (network, on):
        file = on.file(12_000_000)
        receiver = on.receive()
        sender = on.send(file)
        # 3 % of the file on each path
        network.right.wait_until_received(400_000)
        stop_delivering(network, silent)
        quicken(network)
        shares = sender.ends_well()
        receiver.ends_well()
        on.arrived(file)
        assert " 0 %" not in shares, f"a path carried nothing before it fell silent: {shares}"


def test_both_sides_report_an_error_when_all_paths_stop_delivering(tmp_path: Path) -> None:
    with limited(tmp_path) as (network, on):
        receiver = on.receive()
        sender = on.send(on.file(20_000_000))
        on.begun(receiver)
        stop_delivering(network, 0, 1)
        sender.fails("the peer no longer answers")
        receiver.fails("the peer no longer answers")
        last = {path: said for path, _, said in (line.rpartition(": ") for line in sender.told_of_paths())}
        assert last == {f"path {on.path(path)}": "does not answer" for path in (0, 1)}
        on.nothing_arrived()


def test_a_transfer_survives_a_temporary_outage_of_all_paths(tmp_path: Path) -> None:
    with limited(tmp_path) as (network, on):
        file = on.file(10_000_000)
        receiver = on.receive()
        sender = on.send(file)
        on.begun(receiver)
        stop_delivering(network, 0, 1)
        time.sleep(8)
        meet(network)
        quicken(network)
        sender.ends_well()
        told = sender.told_of_paths()
        assert told[0].endswith(": does not answer")
        assert any(line.endswith(": answers again") for line in told), told
        receiver.ends_well()
        on.arrived(file)


def stop_delivering(network: Network, *paths: int) -> None:
    """Lose all packets on these paths in both directions."""
    for path in paths:
        network.left.lose(path, network.right)
        network.right.lose(path, network.left)


@pytest.mark.parametrize(("seconds", "least"), [(15, 0), pytest.param(90, 20, marks=pytest.mark.long)])
def test_a_transfer_survives_flapping_links(seconds: int, least: int) -> None:
    # Whether an end notices a fall of fixed length depends on its timers and on the machine: in the gate, the next test
    # has falls that last until they are noticed.
    # The timers are those of `TIMES`, about 1/40 of RFC 9260's: a minute and a half is like an hour. Sometimes both
    # paths are down.
    first = LINK.but(rate="2 Mbit/s", events=flaps(every=1.2, down=0.6, until=seconds))
    second = LINK.but(rate="2 Mbit/s", events=flaps(every=3.1, down=1.1, until=seconds))
    total, size, streams = 133_000 * seconds, 1200, 3
    ends = {"send": total, "size": size, "streams": streams, "expect": total, "timeout": 400, **TIMES}
    with emulated(2, [first, second]) as network:
        left = both_receive(network, total, size, streams, ends)
    assert falls(left) >= least, f"the left end noticed {falls(left)} falls"


def test_a_transfer_survives_falls_that_it_notices() -> None:
    total, size, streams = 20_000_000, 1200, 3
    ends = {"send": total, "size": size, "streams": streams, "expect": total, "timeout": 400, **TIMES}
    with wired(2) as network:
        limit(network, "2mbit")

        def fall(left: Peer) -> None:
            for paths in cycle([(0,), (1,), (0, 1)]):
                stop_delivering(network, *paths)
                for path in paths:
                    left.wait_for_path(network.right.ipv4[path], "down")
                meet(network)
                for path in paths:
                    left.wait_for_path(network.right.ipv4[path], "up")
                if falls(left) >= 6:
                    break
            assert not left.printed("received"), "the transfer was over before the last fall"
            quicken(network)

        both_receive(network, total, size, streams, ends, fall)


def falls(end: Peer) -> int:
    """Return how often an end has reported that a path is down."""
    return sum(event["state"] == "down" for event in end.printed("path"))


@pytest.mark.parametrize("carrier", [UDP4, pytest.param(UDP6, marks=pytest.mark.long), RAW4], ids=str)
def test_a_transfer_continues_while_an_interface_goes_down_and_up(tmp_path: Path, carrier: Carrier) -> None:
    with limited(tmp_path, carrier) as (network, on):
        file = on.file(10_000_000)
        receiver = on.receive(captured=True)
        sender = on.send(file, captured=True)
        # A sender that finds no address reachable at its start gives up at once
        on.begun(receiver)
        falls = 0
        while sender.process.poll() is None:
            host = (network.left, network.right)[falls // 2 % 2]
            host.set_link(falls % 2, "down")
            time.sleep(0.3)
            host.set_link(falls % 2, "up")
            time.sleep(0.3)
            falls += 1
            if falls == 8:
                quicken(network)
        sender.ends_well()
        receiver.ends_well()
        on.arrived(file)
        carried_data(on.examine(sender, receiver), file)
        assert falls >= 8, f"the transfer ended after {falls} falls"


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_address_that_is_removed_and_added_is_used_again(tmp_path: Path, side: str) -> None:
    with limited(tmp_path) as (network, on):
        host = network.left if side == "left" else network.right
        server = on.start(on.receiver, "perf", "--listen", "--once", "--bind", ",".join(on.receiver.ipv4))
        server.wait_for("waiting on ")
        client = on.start(on.sender, "perf", *on.ends(), "--bytes", "40000000", "--json-stream")

        def wait_for_interval(what: str, fits: Callable[[int, int], bool]) -> None:
            """Wait for a new interval in which the paths carried such numbers of bytes."""
            seen = len(carried(client))
            client.wait_until(lambda: any(fits(*each) for each in carried(client)[seen:]), what)

        wait_for_interval("use both paths", lambda first, second: first > 0 and second > 0)
        host.run("ip", "address", "del", f"{host.ipv4[1]}/24", "dev", host.interfaces[1])
        wait_for_interval("use the other path alone", lambda first, second: first > 0 and second == 0)
        host.run("ip", "address", "add", f"{host.ipv4[1]}/24", "dev", host.interfaces[1])
        wait_for_interval("use the address again", lambda first, second: first > 0 and second > 0)
        quicken(network)
        client.ends_well()
        server.ends_well()


def carried(client: Program) -> list[tuple[int, int]]:
    """Return the bytes that each of two paths carried in each interval of a running test."""
    events = [json.loads(line) for line in client.lines()]
    intervals = [event["data"]["paths"] for event in events if event["event"] == "interval"]
    return [(first["bytes_acked"], second["bytes_acked"]) for first, second in intervals]


def test_a_transfer_waits_for_its_only_address(tmp_path: Path) -> None:
    with limited(tmp_path, paths=1) as (network, on):
        file = on.file(10_000_000)
        receiver = on.receive()
        sender = on.send(file)
        on.begun(receiver)
        words = [f"{network.left.ipv4[0]}/24", "dev", network.left.interfaces[0]]
        network.left.run("ip", "address", "del", *words)
        time.sleep(3)
        network.left.run("ip", "address", "add", *words)
        quicken(network)
        sender.ends_well()
        receiver.ends_well()
        on.arrived(file)


def test_enobufs_of_a_full_queue_is_treated_as_packet_loss(tmp_path: Path) -> None:
    with wired(2) as network, transfers(network, tmp_path) as on:
        file = on.file(4_000_000)
        receiver = on.receive()
        shape(network.left, "1mbit")
        sender = on.send(file, "--metrics", "9100")
        on.begun(receiver, 100_000)
        refused = "manypath_endpoint_dropped_packets_total"
        sender.wait_until(lambda: counter(network.left, refused) > 0, "count a packet that the system refused")
        shape(network.left, "10mbit")
        sender.ends_well()
        receiver.ends_well()
        on.arrived(file)


def shape(host: Host, rate: str) -> None:
    """Limit the rate of every interface, with queues of a few packets."""
    for interface in host.interfaces:
        words = ["tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate]
        host.run(*words, "burst", "3000", "limit", "6000")


def flaps(every: float, down: float, until: float) -> list[mp.Event]:
    """Return events that take a link down for `down` seconds every `every` seconds; the link is up at the end."""
    starts = [every * count for count in range(1, int(until / every))]
    edges = [(start, "down") for start in starts] + [(start + down, "up") for start in starts]
    return [mp.Event(at=f"{at:.3f} s", change=change) for at, change in sorted(edges)]


def carried_data(chunks: Counter[int], file: Path) -> None:
    """Check that captures have at least as many DATA chunks as a file needs."""
    assert chunks[DATA] >= file.stat().st_size / LARGEST_CHUNK, f"the captures have too few chunks of data: {chunks}"
    assert chunks[NR_SACK] > 0, f"the captures have no acknowledgement: {chunks}"


def both_receive(
    network: Network,
    total: int,
    size: int,
    streams: int,
    ends: dict[str, Any],
    meanwhile: Callable[[Peer], None] | None = None,
) -> Peer:
    """Let two peers of our stack send to each other, check the received data of both, and return the left peer.

    Parameters
    ----------
    meanwhile
        Called with the left peer while they send.
    """
    right = peer(network.right, network.left, "listen", **ends)
    right.wait_for("listening")
    left = peer(network.left, network.right, "connect", shutdown=True, **ends)
    try:
        if meanwhile is not None:
            meanwhile(left)
        for each in (left, right):
            each.end()
            each.received(total, size, streams)
        for each in (left, right):
            each.leave()
    except BaseException as error:
        left.kill()
        right.kill()
        error.add_note(f"{left.account()}\n{right.account()}")
        raise
    return left


def peer(host: Host, other: Host, role: str, **arguments: object) -> Peer:
    """Start a peer of our stack."""
    words = [role, "--port", "5000", "--udp", "9899", "--cmt", "3"]
    words += ["--local", ",".join(host.ipv4), "--remote", ",".join(other.ipv4)]
    for name, value in arguments.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return Peer("manypath", host, words)


def counter(host: Host, name: str) -> float:
    """Return a counter from the metrics of a program on a host."""
    read = "from urllib.request import urlopen; print(urlopen('http://127.0.0.1:9100/metrics').read().decode())"
    lines = host.run(sys.executable, "-c", read).splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))
