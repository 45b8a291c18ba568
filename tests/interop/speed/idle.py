"""Memory of idle associations."""

from __future__ import annotations

import time
from typing import Any

from network import wired

from speed.program import Arena, Contestant

COUNTS = (1000, 10_000)
"""Numbers of associations of one endpoint."""

SIDES = ("accepting", "connecting")
"""The side with one endpoint for all associations. The other side has one endpoint per association."""


def measure(side: str, count: int, contestant: Contestant) -> dict[str, Any]:
    """Open associations between one endpoint and many. Return resident bytes per association of the single endpoint."""
    many, one = {"endpoints": count}, {"peers": count}
    listens, connects = (one, many) if side == "accepting" else (many, one)
    with wired(1, offload=True) as network:
        # Each of our endpoints has its own UDP port, counted from this one
        arena = Arena(network, udp=20_000)
        with arena.start(contestant, "idle", "listen", timeout=600, **listens) as listener:
            listener.wait_for("listening", 60)
            with arena.start(contestant, "idle", "connect", timeout=600, **connects) as connecter:
                connecter.wait_for("ready", 60)
                measured = listener if side == "accepting" else connecter
                before = measured.memory()
                connecter.go_on()
                for program in (connecter, listener):
                    program.wait_for("open", 120)
                time.sleep(SETTLES)
                after = measured.memory()
    return {"before": before, "after": after, "each": (after - before) / count}


SETTLES = 0.5
"""Seconds until the last packets of the handshakes are processed."""
