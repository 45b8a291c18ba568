"""Servers that start a process for each association."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.programs


def asks(network, start, tmp_path: Path, port: int) -> None:
    """Let a program send a message and read it again."""
    words = ["python3", "-c", CLIENT, network.right.ipv4[0], str(port)]
    start(network.left, "udp", 1, *words, into=tmp_path / "client").ends_well()


def test_socat_with_a_process_for_each_association(network, start, tmp_path: Path) -> None:
    words = ["socat", "-d", "-d", f"SCTP4-LISTEN:7001,bind={network.right.ipv4[0]},fork", "EXEC:cat"]
    server = start(network.right, "udp", 1, *words, into=tmp_path / "server")
    server.until("listening on")
    asks(network, start, tmp_path, 7001)
    asks(network, start, tmp_path, 7001)
    assert server.process.poll() is None


def test_ncat_with_a_program_for_each_association(network, start, tmp_path: Path) -> None:
    words = ["ncat", "-v", "--sctp", "--keep-open", "-l", network.right.ipv4[0], "7000", "--exec", "/bin/cat"]
    server = start(network.right, "udp", 1, *words, into=tmp_path / "server")
    server.until("Listening")
    asks(network, start, tmp_path, 7000)
    asks(network, start, tmp_path, 7000)
    assert server.process.poll() is None


CLIENT = """
import socket, sys
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], int(sys.argv[2])))
for number in range(20):
    sent = b"%d" % number * 1000
    connected.sendall(sent)
    received = b""
    while len(received) < len(sent):
        received += connected.recv(65536)
    assert received == sent
"""
