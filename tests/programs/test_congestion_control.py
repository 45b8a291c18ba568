"""The congestion control that `--cc` names, by the windows of the paths after losses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

LENGTH = 6_000_000

NAMES = pytest.mark.parametrize("name", ["newreno", "cmt-rpv2"])


def cuts(events: Path) -> Iterator[float]:
    """Yield the part of the window that remained as threshold at each reduction of a window of many packets."""
    windows: dict[tuple[str, str], int] = {}
    for line in events.read_text().splitlines():
        event = json.loads(line)
        if event.get("name") != "recovery:metrics_updated":
            continue
        data, path = event["data"], (event["flow"], event["path"])
        before, window = windows.get(path), data.get("cwnd")
        if before and "ssthresh" in data and window is not None and before > window and before > LARGE:
            yield data["ssthresh"] / before
        if window is not None:
            windows[path] = window


def shows(name: str, events: Path) -> bool:
    """Return whether the windows are those of an algorithm. [D11] sections III-A and III-B.2.

    If a program has no processor for a while, its windows stay small and no large one is reduced: the transfer is
    repeated.
    """
    kept = list(cuts(events))
    if name == "newreno":
        assert min(kept, default=1) > 0.45, kept
        return bool(kept)
    # Both paths have the same rate, so one loss takes about half of the rate of both
    return min(kept, default=1) < 0.35


@NAMES
def test_run_uses_the_congestion_control(name: str, network, start, tmp_path: Path) -> None:
    network.left.limit("10mbit")
    events = tmp_path / "events.jsonl"
    options = ["--cc", name, "--events", str(events), "--only", "recovery"]
    words = ["python3", "-c", SENDER, network.right.ipv4[0], str(LENGTH)]

    def transfer() -> bool:
        server = receives(network, start, tmp_path)
        start(network.left, "udp", 2, *words, options=options, into=tmp_path / "client").ends_well()
        assert server.ends_well() == f"{LENGTH}\n"
        return shows(name, events)

    assert any(transfer() for _ in range(TRANSFERS)), list(cuts(events))


@NAMES
def test_serve_uses_the_congestion_control(name: str, network, start, daemons, tmp_path: Path) -> None:
    network.left.limit("10mbit")
    events = tmp_path / "events.jsonl"
    options = ["--local", network.left.ipv4[1], "--cc", name, "--events", str(events), "--only", "recovery"]

    def transfer() -> bool:
        server = receives(network, start, tmp_path)
        daemon = daemons(*options, host=network.left)
        program = daemon.start("python3", "-c", SENDER, network.right.ipv4[0], str(LENGTH))
        _, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, errors
        assert server.ends_well() == f"{LENGTH}\n"
        daemon.stop()
        return shows(name, events)

    assert any(transfer() for _ in range(TRANSFERS)), list(cuts(events))


def receives(network, start, tmp_path: Path):
    """Start a program that counts what it receives."""
    server = start(network.right, "udp", 2, "python3", "-c", RECEIVER, into=tmp_path / "server")
    server.until("listening")
    return server


TRANSFERS = 20
"""How often a transfer is repeated at most."""

LARGE = 30_000
"""Bytes of a window of many packets, whose half is more than the smallest one of RFC 9260 section 7.2.3."""

RECEIVER = """
import socket, sys
listener = socket.socket(proto=socket.IPPROTO_SCTP)
listener.bind(("", 7002))
listener.listen(1)
print("listening", file=sys.stderr, flush=True)
accepted, _ = listener.accept()
length = 0
while part := accepted.recv(65536):
    length += len(part)
print(length, flush=True)
"""

SENDER = """
import socket, sys
connected = socket.socket(proto=socket.IPPROTO_SCTP)
connected.connect((sys.argv[1], 7002))
for _ in range(int(sys.argv[2]) // 30_000):
    connected.sendall(bytes(30_000))
connected.close()
"""
