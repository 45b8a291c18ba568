"""Killed programs, full disks, and wrong or missing peers cause one error line and leave no partial files."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from capture import ABORT, DATA
from network import Network, meet, wired
from program import Program, Transfers, document
from stage import RAW6, UDP4, Carrier

pytestmark = pytest.mark.interop

GONE = ("the peer no longer answers", "the peer aborted the association")
"""Errors after a killed peer: it is silent, or its successor aborts the unknown association."""


@pytest.fixture
def carrier() -> Carrier:
    """The default layer below SCTP."""
    return UDP4


@pytest.fixture
def on(tmp_path: Path, carrier: Carrier) -> Iterator[Transfers]:
    """Transfers between two hosts over two paths of 20 Mbit/s."""
    with wired(2) as network, Transfers(network.left, network.right, tmp_path, carrier) as transfers:
        for host in (network.left, network.right):
            host.limit("20mbit")
        yield transfers


def test_a_restarted_receiver_keeps_verified_files(on: Transfers) -> None:
    first, second = on.file(1_000_000, "first"), on.file(40_000_000, "second")
    receiver = on.receive("--keep")
    on.send(first).ends_well()
    sender = on.send(second)
    on.begun(receiver)
    # Nothing tells the sender that the receiver is gone, until the new one answers packets out of the blue by ABORT.
    for path in range(2):
        on.receiver.lose(path, on.sender)
    receiver.kill()
    receiver = on.receive("--keep", "--overwrite")
    meet(Network(on.sender, on.receiver))
    sender.fails("the peer aborted the association")
    assert (on.into / "first").read_bytes() == first.read_bytes()
    assert not (on.into / "second").exists(), "a half file has the name of a whole one"
    second.write_bytes(second.read_bytes()[:3_000_000])
    on.send(second).ends_well()
    assert (on.into / "second").read_bytes() == second.read_bytes()
    assert (on.into / "first").read_bytes() == first.read_bytes()


@pytest.mark.parametrize("carrier", [UDP4, RAW6], ids=str)
def test_a_killed_receiver_is_detected(on: Transfers) -> None:
    receiver = on.receive()
    sender = on.send(on.file(40_000_000), captured=True)
    on.begun(receiver)
    receiver.kill()
    sender.fails(*GONE, "no SCTP endpoint listens")
    assert not (on.into / "file").exists()
    assert on.examine(sender, chunks={ABORT})[DATA] > 0


def test_a_killed_and_restarted_sender_does_not_disturb_other_transfers(on: Transfers) -> None:
    killed, file = on.file(40_000_000, "killed"), on.file(3_000_000)
    receiver = on.receive("--keep")
    sender = on.send(killed)
    on.begun(receiver)
    sender.kill()
    on.send(file).ends_well()
    receiver.wait_for("error: the peer no longer answers")
    receiver.wait_until(lambda: not list(on.into.glob(".*.part")), "remove its part")
    on.send(on.file(3_000_001, "killed")).ends_well()
    on.arrived(on.file(3_000_001, "killed"))
    on.arrived(file)


def test_a_full_disk_ends_only_one_transfer(on: Transfers) -> None:
    small, large, other = on.file(300_000, "small"), on.file(8_000_000, "large"), on.file(300_001, "other")
    with small_disk(on.into):
        receiver = on.receive("--keep")
        on.send(small).ends_well()
        on.send(large).fails("the receiver: ")
        receiver.wait_for("No space left on device")
        on.send(other).ends_well()
        assert sorted(path.name for path in on.into.iterdir()) == ["other", "small"]
        for file in (small, other):
            on.arrived(file)


def serve(on: Transfers, *words: str) -> Program:
    """Start a server of `perf`, and return it when it is listening."""
    server = on.start(on.receiver, "perf", "--listen", "--bind", ",".join(on.receiver.ipv4), *words)
    server.wait_for("waiting on ")
    return server


def test_a_killed_perf_server_is_reported_and_can_be_restarted(on: Transfers) -> None:
    server = serve(on)
    client = on.start(on.sender, "perf", *on.ends(), "--time", "60", "--json")
    server.wait_for("test from ")
    time.sleep(1)
    server.kill()
    server = serve(on, "--once")
    printed = client.fails(*GONE)
    assert document(client.end().out)["error"] == printed.removeprefix("error: ")
    on.start(on.sender, "perf", *on.ends(), "--bytes", "100000").ends_well()
    server.ends_well()


def test_a_killed_perf_client_can_be_restarted(on: Transfers) -> None:
    server = serve(on)
    client = on.start(on.sender, "perf", *on.ends(), "--time", "60")
    server.wait_for("test from ")
    time.sleep(1)
    client.kill()
    # The host of the killed client answers "port unreachable" for both its addresses.
    server.wait_for("error: the peer no longer answers")
    on.start(on.sender, "perf", *on.ends(), "--bytes", "100000").ends_well()


def test_a_peer_with_another_protocol_is_reported(on: Transfers) -> None:
    server = serve(on)
    on.send(on.file(1000)).fails("is no `manypath-net receive`", "does not take", "aborted")
    server.wait_for("error: ")
    server.kill()
    receiver = on.receive()
    on.start(on.sender, "perf", *on.ends(), "--time", "1").fails("is no `manypath", "receiver", "aborted")
    receiver.fails("the peer is no `manypath-net send`")
    on.nothing_arrived()


@pytest.mark.parametrize("wrong", ["udp_port", "sctp_port", "silent_host", "missing_host", "mirror"])
def test_a_missing_receiver_is_reported_in_time(on: Transfers, wrong: str) -> None:
    on.receive()
    host = ["--bind", on.sender.ipv4[0], "--to"]
    words = {
        "udp_port": [*on.ends(), "--udp", "9"],
        "sctp_port": [*on.ends(), "--port", "9"],
        # The right host drops packets for another address. The last address belongs to no host.
        "silent_host": [*host, "10.9.0.77"],
        "missing_host": [*host, "10.9.0.78"],
        "mirror": [*host, on.receiver.ipv4[0], "--udp", "7"],
    }
    neighbour = ["lladdr", "02:00:00:00:00:02", "dev", "p0", "nud", "permanent"]
    on.sender.run("ip", "neighbour", "add", "10.9.0.77", *neighbour)
    with mirror(on):
        sender = on.start(on.sender, "send", str(on.file(1000)), *words[wrong])
        # ICMP messages about both addresses count. An SCTP port without an endpoint answers by ABORT (RFC 9260 §8.4);
        # so does the sender, to its own INIT that the mirror returns. Else T1-init expires after 1, 2, 4 and 5 s, or
        # earlier with two addresses.
        texts = {
            "udp_port": "no SCTP endpoint listens at",
            "sctp_port": "the peer refused the association",
            "missing_host": "cannot be reached",
            "mirror": "the peer refused the association",
        }
        sender.fails(texts.get(wrong, "the peer did not answer in time"))


@contextmanager
def mirror(on: Transfers) -> Iterator[None]:
    """Run a program on the right host that returns all datagrams to UDP port 7."""
    reflect = (
        f"import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('{on.receiver.ipv4[0]}', 7))\n"
        "print('ready', flush=True)\nwhile True: s.sendto(*s.recvfrom(65535))"
    )
    line = on.receiver.command(sys.executable, "-c", reflect)
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield
        finally:
            process.kill()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a disk of 2 MB."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "manypath-test", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
