"""lksctp-tools and iperf3 continue after one of two paths is taken down."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

MODES = pytest.mark.parametrize("mode", ["udp", "raw"])

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
"""Bytes of the prefixes that iperf3 prints."""


@MODES
def test_sctp_darn_sends_without_its_first_path(network, start, tmp_path: Path, mode: str) -> None:
    (left, other_left), (right, other_right) = network.left.ipv4, network.right.ipv4
    words = ["stdbuf", "-oL", "sctp_darn", "-H", right, "-B", other_right, "-P", "7010", "-l"]
    server = start(network.right, mode, 2, *words, into=tmp_path / "server")
    server.until("listening")
    words = ["sctp_darn", "-H", left, "-B", other_left, "-P", "7011", "-h", right, "-p", "7010", "-s"]
    client = start(network.left, mode, 2, *words, into=tmp_path / "client")
    client.types("on both paths\n")
    server.until("DATA(15):  on both paths.")
    network.right.set_link(0, "down")
    for number in range(10):
        client.types(f"number {number} on one path\n")
        server.until(f"number {number} on one path.")
    client.types_no_more()
    server.until("SHUTDOWN_COMP")
    assert client.process.wait(timeout=PATIENCE) == len("number 9 on one path\n\0")


@MODES
def test_sctp_test_sends_without_its_first_path(network, start, tmp_path: Path, mode: str) -> None:
    (left, other_left), (right, other_right) = network.left.ipv4, network.right.ipv4
    # The transfer cannot end before the path is down
    network.left.limit("1mbit")
    words = ["stdbuf", "-oL", "sctp_test", "-H", right, "-B", other_right, "-P", "7012", "-l"]
    server = start(network.right, mode, 2, *words, into=tmp_path / "server")
    server.until("Server: Receiving packets.")
    # 300 rounds of 10 messages of 1000 bytes
    words = ["sctp_test", "-H", left, "-B", other_left, "-P", "7013", "-h", right, "-p", "7012", "-s"]
    client = start(network.left, mode, 2, *words, "-c", "-1000", "-x", "300", into=tmp_path / "client")
    server.until("Data 1000 bytes.")
    network.right.set_link(0, "down")
    assert server.said().count("Data 1000 bytes.") < 3000, "the transfer was over before the path was down"
    network.left.limit("20mbit")
    client.ends_well()
    server.until("SHUTDOWN_COMPLETE")
    assert server.said().count("Data 1000 bytes.") == 3000


@MODES
def test_iperf3_sends_without_its_first_path(network, start, tmp_path: Path, mode: str) -> None:
    # All buffers together have room for less than 20 MB
    total, least = 40_000_000, 20_000_000
    network.left.limit("4mbit")
    words = ["iperf3", "-s", "-1", "--forceflush"]
    server = start(network.right, mode, 2, *words, into=tmp_path / "server")
    server.until("Server listening")
    # The control connection of iperf3 is TCP on the path that stays. `-X` binds the association to addresses; without
    # `-4` these are IPv6
    words = ["iperf3", "-4", "--sctp", "-c", network.right.ipv4[1], "-n", str(total), "--json"]
    # The first one has the network of the address that `-c` names: a path has one link in both directions
    for address in reversed(network.left.ipv4):
        words += ["-X", address]
    client = start(network.left, mode, 2, *words, into=tmp_path / "client")
    server.until("bits/sec")
    arrived = re.search(r"0\.00-[\d.]+ +sec +([\d.]+) ([KM]?)Bytes", server.said())
    assert arrived, server.said()
    assert float(arrived[1]) * UNITS[arrived[2]] < least, "the transfer was over before the path was down"
    network.right.set_link(0, "down")
    assert client.process.poll() is None, "the transfer was over before the path was down"
    network.left.limit("80mbit")
    report = json.loads(client.ends_well())["end"]
    assert report["sum_sent"]["bytes"] >= total
    # The server stops to count when the client has passed its last bytes to the send buffer
    assert report["sum_received"]["bytes"] >= least
    server.ends_well()
