"""iperf3, ncat, socat and Python with SCTP sockets of this stack, at both ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

MODES = pytest.mark.parametrize("mode", ["udp", "raw"])

LENGTH = 3_000_000


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """Return a file with data that do not repeat within it."""
    file = tmp_path / "sent"
    file.write_bytes(b"".join(number.to_bytes(4, "big") for number in range(LENGTH // 4)))
    return file


@MODES
def test_iperf3(network, start, tmp_path: Path, mode: str) -> None:
    server = start(network.right, mode, 1, "iperf3", "-s", "-1", "--forceflush", into=tmp_path / "server")
    server.until("Server listening")
    words = ["iperf3", "--sctp", "-c", network.right.ipv4[0], "-t", "2", "--json"]
    report = json.loads(start(network.left, mode, 1, *words, into=tmp_path / "client").ends_well())
    assert report["start"]["test_start"]["protocol"] == "SCTP"
    sent, received = (report["end"][which]["bytes"] for which in ("sum_sent", "sum_received"))
    # The server stops to count when the client's control connection, which is TCP, says that the test is over.
    assert 0 < received <= sent
    server.ends_well()


@MODES
def test_ncat(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    address = network.right.ipv4[0]
    words = ["ncat", "-v", "--sctp", "--recv-only", "-l", address, "7000"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "received")
    server.until("Listening")
    words = ["ncat", "--sctp", "--send-only", address, "7000"]
    start(network.left, mode, 1, *words, feed=sent, into=tmp_path / "client").ends_well()
    server.ends_well()
    assert server.into.read_bytes() == sent.read_bytes()


def socat_transfers(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    """Send a file with socat from the left host to the right one and compare it."""
    address = network.right.ipv4[0]
    words = ["socat", "-d", "-d", "-u", f"SCTP4-LISTEN:7001,bind={address}", "STDOUT"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "received")
    server.until("listening on")
    words = ["socat", "-u", f"OPEN:{sent}", f"SCTP4-CONNECT:{address}:7001"]
    start(network.left, mode, 1, *words, into=tmp_path / "client").ends_well()
    server.ends_well()
    assert server.into.read_bytes() == sent.read_bytes()


@MODES
def test_socat(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    socat_transfers(network, start, tmp_path, sent, mode)


@MODES
def test_a_program_ends_while_its_data_wait_for_a_slow_path(
    network, start, tmp_path: Path, sent: Path, mode: str
) -> None:
    network.left.limit("100mbit")
    socat_transfers(network, start, tmp_path, sent, mode)


@MODES
def test_sockets_of_python(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    receives(network, start, tmp_path, mode, 1)
    words = ["python3", "-c", SENDER, network.right.ipv4[0], str(sent), "0"]
    start(network.left, mode, 1, *words, into=tmp_path / "client").ends_well()
    assert (tmp_path / "received").read_bytes() == sent.read_bytes()


@MODES
def test_a_transfer_goes_on_without_its_first_path(network, start, tmp_path: Path, sent: Path, mode: str) -> None:
    server = receives(network, start, tmp_path, mode, 2)
    words = ["python3", "-c", SENDER, network.right.ipv4[0], str(sent), "0.02"]
    client = start(network.left, mode, 2, *words, into=tmp_path / "client")
    server.until_bytes(LENGTH // 10)
    network.right.set_link(0, "down")
    assert server.into.stat().st_size < LENGTH, "the transfer was over before the path was down"
    client.ends_well()
    server.process.wait(timeout=20)
    assert server.into.read_bytes() == sent.read_bytes()


def receives(network, start, tmp_path: Path, mode: str, paths: int):
    """Start a program that writes what it receives."""
    words = ["python3", "-c", RECEIVER, network.right.ipv4[0] if paths == 1 else ""]
    server = start(network.right, mode, paths, *words, into=tmp_path / "received")
    server.until("listening")
    return server


RECEIVER = """
import socket, sys
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 7002))
listener.listen(1)
print("listening", file=sys.stderr, flush=True)
accepted, _ = listener.accept()
while part := accepted.recv(65536):
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
"""

SENDER = """
import socket, sys, time
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], 7002))
with open(sys.argv[2], "rb") as file:
    while part := file.read(30_000):
        connected.sendall(part)
        time.sleep(float(sys.argv[3]))
connected.close()
"""
