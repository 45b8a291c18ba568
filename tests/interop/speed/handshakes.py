"""Opened associations per second. Each of several endpoints opens one after another."""

from __future__ import annotations

from typing import Any

from network import wired

from speed.program import Arena, Contestant

CONCURRENT = (1, 64)
"""Numbers of endpoints that open associations at the same time."""


def measure(concurrent: int, contestant: Contestant, seconds: float) -> dict[str, Any]:
    """Open associations for some seconds, and abort each when it is established."""
    with wired(1, offload=True) as network:
        arena = Arena(network)
        with arena.start(contestant, "handshakes", "listen", timeout=600) as listener:
            listener.wait_for("listening", 10)
            with arena.start(contestant, "handshakes", "connect", endpoints=concurrent, seconds=seconds) as opener:
                opened = opener.wait_for("opened", seconds + 20)
                opener.end(10)
    cpu = opener.cpu_seconds + listener.cpu_seconds
    return {
        "rate": opened["associations"] / opened["seconds"],
        "cpu_us": cpu * 1e6 / max(1, opened["associations"]),
        "associations": opened["associations"],
    }
