"""A program with our sockets at one end, usrsctp at the other one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from network import Network
from peer import PROGRAMS, Peer, content
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

MODES = pytest.mark.parametrize("mode", ["udp", "raw"])

LENGTH = 2_000_000
SIZE = 8_000

WORD = 8
"""Bytes of the smallest message that the peer accepts."""

PAYLOAD = content(0, 1 << 19)
"""Beginning of the peer's payload."""

LINES = [
    word
    for word in (PAYLOAD[at : at + WORD] for at in range(0, len(PAYLOAD), WORD))
    if word.endswith(b"\n\0") and word.count(b"\n") == word.count(b"\0") == 1
]
"""Words of the peer's payload that sctp_darn can send: each is a line with its zero."""


@pytest.fixture
def peer(network: Network) -> Iterator[Callable[..., Peer]]:
    """Return the function that starts a peer over usrsctp on the left host."""
    if not (PROGRAMS / "usrsctp").exists():
        pytest.fail("the peer over usrsctp is not built: run make programs")
    with ExitStack() as ended:

        def begin(role: str, mode: str, **arguments: int | bool) -> Peer:
            words = [role, "--port", "5000", "--local", network.left.ipv4[0], "--remote", network.right.ipv4[0]]
            words += ["--timeout", str(round(PATIENCE))]
            words += ["--udp", "9899"] if mode == "udp" else ["--raw"]
            for name, value in arguments.items():
                words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
            started = Peer("usrsctp", network.left, words)
            ended.callback(started.kill)
            return started

        yield begin


@MODES
def test_usrsctp_sends_back_what_a_program_sends(network, start, peer, tmp_path: Path, mode: str) -> None:
    listener = peer("listen", mode, echo=True)
    listener.wait_for("listening")
    words = ["python3", "-c", SENDER, network.left.ipv4[0], str(SIZE)]
    feed = tmp_path / "sent"
    feed.write_bytes(content(0, LENGTH))
    client = start(network.right, mode, 1, *words, feed=feed, into=tmp_path / "received")
    client.ends_well()
    listener.end()
    assert client.into.read_bytes() == feed.read_bytes()
    listener.received(LENGTH, SIZE)


@MODES
def test_a_program_sends_back_what_usrsctp_sends(network, start, peer, tmp_path: Path, mode: str) -> None:
    words = ["python3", "-c", ECHO, network.right.ipv4[0]]
    server = start(network.right, mode, 1, *words, into=tmp_path / "server")
    server.until("listening")
    connected = peer("connect", mode, send=LENGTH, size=SIZE, expect=LENGTH, shutdown=True)
    connected.end()
    connected.received(LENGTH, SIZE)
    server.ends_well()


@MODES
@pytest.mark.parametrize("name", ["ncat", "socat"])
def test_usrsctp_receives_a_file_from(name: str, network, start, peer, tmp_path: Path, mode: str) -> None:
    listener = peer("listen", mode)
    listener.wait_for("listening")
    feed = tmp_path / "sent"
    feed.write_bytes(content(0, LENGTH))
    address = network.left.ipv4[0]
    words = {
        "ncat": ["ncat", "--sctp", "--send-only", address, "5000"],
        "socat": ["socat", "-u", "STDIN", f"SCTP4-CONNECT:{address}:5000"],
    }[name]
    start(network.right, mode, 1, *words, feed=feed, into=tmp_path / "client").ends_well()
    listener.end()
    listener.received(LENGTH, SIZE)


@MODES
@pytest.mark.parametrize("name", ["ncat", "socat"])
def test_usrsctp_sends_a_file_to(name: str, network, start, peer, tmp_path: Path, mode: str) -> None:
    address = network.right.ipv4[0]
    words, text = {
        "ncat": (["ncat", "-v", "--sctp", "--recv-only", "-l", address, "5000"], "Listening"),
        "socat": (["socat", "-d", "-d", "-u", f"SCTP4-LISTEN:5000,bind={address}", "STDOUT"], "listening on"),
    }[name]
    server = start(network.right, mode, 1, *words, into=tmp_path / "received")
    server.until(text)
    peer("connect", mode, send=LENGTH, size=SIZE, shutdown=True).end()
    server.ends_well()
    assert server.into.read_bytes() == content(0, LENGTH)


@MODES
@pytest.mark.parametrize("name", ["sctp_darn", "sctp_test"])
def test_usrsctp_sends_messages_to(name: str, network, start, peer, tmp_path: Path, mode: str) -> None:
    words = ["stdbuf", "-oL", name, "-H", network.right.ipv4[0], "-P", "5000", "-l"]
    server = start(network.right, mode, 1, *words, into=tmp_path / "server")
    server.until({"sctp_darn": "listening", "sctp_test": "Server: Receiving packets."}[name])
    peer("connect", mode, send=10 * SIZE, size=SIZE, shutdown=True).end()
    server.until("SHUTDOWN_COMP")
    text = {"sctp_darn": f"DATA({SIZE})", "sctp_test": f"Data {SIZE} bytes."}[name]
    assert server.said().count(text) == 10


@MODES
def test_usrsctp_receives_lines_from_sctp_darn(network, start, peer, tmp_path: Path, mode: str) -> None:
    listener = peer("listen", mode)
    listener.wait_for("listening")
    feed = tmp_path / "lines"
    feed.write_bytes(b"".join(line.removesuffix(b"\0") for line in LINES))
    address = network.right.ipv4[0]
    words = ["sctp_darn", "-H", address, "-P", "5000", "-h", network.left.ipv4[0], "-p", "5000", "-s"]
    client = start(network.right, mode, 1, *words, feed=feed, into=tmp_path / "client")
    listener.end()
    assert client.process.wait(timeout=PATIENCE) == WORD, client.said()
    (received,) = listener.printed("received")
    assert (received["messages"], received["bytes"]) == (len(LINES), WORD * len(LINES))
    assert received["duplicates"] == 0


@MODES
@pytest.mark.parametrize(
    ("how", "event"),
    [
        ("closes", "closed"),
        ("dies", "closed"),
        ("dies with unread data", "aborted"),
        ("closes without linger", "aborted"),
    ],
)
def test_the_peer_of_a_program_that(how: str, event: str, network, start, peer, tmp_path: Path, mode: str) -> None:
    # One message: the peer fails if an ABORT arrives before it has sent the last one
    listener = peer("listen", mode, **({"send": SIZE, "size": SIZE} if "unread" in how else {}))
    listener.wait_for("listening")
    words = ["python3", "-c", ENDS, network.left.ipv4[0], how]
    client = start(network.right, mode, 1, *words, into=tmp_path / "client")
    listener.end()
    assert listener.events[-1]["event"] == event, listener.events
    if event == "aborted":
        assert listener.events[-1]["by"] == "peer"
    assert client.process.wait(timeout=PATIENCE) == (137 if "dies" in how else 0), client.said()


SENDER = """
import socket, sys, threading
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], 5000))
data = sys.stdin.buffer.read()
def send():
    size = int(sys.argv[2])
    for start in range(0, len(data), size):
        connected.sendall(data[start:start + size])
sending = threading.Thread(target=send)
sending.start()
received = 0
while received < len(data):
    part = connected.recv(65536)
    assert part, "the association has ended early"
    received += len(part)
    sys.stdout.buffer.write(part)
sending.join()
"""

ECHO = """
import socket, sys
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind((sys.argv[1], 5000))
listener.listen(1)
print("listening", flush=True)
accepted, _ = listener.accept()
while part := accepted.recv(65536):
    accepted.sendall(part)
"""

ENDS = """
import os, select, signal, socket, struct, sys
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], 5000))
connected.send(bytes(8))
how = sys.argv[2]
if "unread" in how:
    select.select([connected], [], [])
if "linger" in how:
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
if "dies" in how:
    os.kill(os.getpid(), signal.SIGKILL)
connected.close()
"""
