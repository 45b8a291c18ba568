"""The options of iperf3 that use several associations, both directions, streams or IPv6."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from wrapped import PATIENCE

pytestmark = pytest.mark.programs

OPTIONS = {
    "parallel": ["-P", "4", "-n", "100M"],
    "both-directions": ["--bidir", "-n", "50M"],
    "reverse": ["-R", "-n", "20M"],
    "streams": ["--nstreams", "10", "-t", "5"],
    "ipv6": ["-6", "-n", "20M"],
}
"""Options of the client. It sends more than the buffers of all associations have room for, so that the server has
received some of it when the client says that the test is over. With several streams, iperf3 sends one block, which may
arrive after these seconds on a busy machine."""


@pytest.mark.parametrize("name", OPTIONS)
def test_iperf3_with(name: str, network, start, tmp_path: Path) -> None:
    ipv6 = name == "ipv6"

    def run() -> Any:
        words = ["iperf3", "-s", "-1", "--forceflush"]
        server = start(network.right, "udp", 1, *words, into=tmp_path / "server", ipv6=ipv6)
        server.until("Server listening")
        address = (network.right.ipv6 if ipv6 else network.right.ipv4)[0]
        words = ["iperf3", "--sctp", "-c", address, "--json", *OPTIONS[name]]
        client = start(network.left, "udp", 1, *words, into=tmp_path / "client", ipv6=ipv6).ends_well()
        server.ends_well()
        return json.loads(client)

    report, end = run(), time.monotonic() + PATIENCE
    while name == "streams" and not report["end"]["streams"][0]["receiver"]["bytes"] and time.monotonic() < end:
        report = run()
    assert report["start"]["test_start"]["protocol"] == "SCTP"
    for stream in report["end"]["streams"]:
        assert stream["receiver"]["bytes"] > 0, stream
    assert len(report["end"]["streams"]) == {"parallel": 4, "both-directions": 2}.get(name, 1)
