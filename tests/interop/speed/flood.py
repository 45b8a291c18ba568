"""Goodput of an association while a third host floods its receiver with INITs."""

from __future__ import annotations

import time
from typing import Any

from network import joined, wired

from speed.program import SCTP_PORT, Arena, Contestant, FailedError, Program

RATE = 100_000
"""INITs per second."""


def measure(contestant: Contestant, seconds: float) -> dict[str, Any]:
    """Return goodput in Mbit/s and the receiver's memory in bytes before, during and after a flood of `seconds`."""
    around = max(1.0, seconds / 2)
    # The transfer is ended before its time is over
    total = seconds + 2 * around + 10
    with wired(1, offload=True) as network, joined(network.right) as flooding_host:
        arena = Arena(network)
        words = [
            "connect",
            "--local",
            flooding_host.ipv4[0],
            "--remote",
            network.right.ipv4[0],
            "--port",
            str(SCTP_PORT),
        ]
        words += ["--udp", str(arena.udp), "--rate", str(RATE), "--seconds", str(seconds)]
        with arena.start(contestant, "bulk", "listen", timeout=600) as receiver:
            receiver.wait_for("listening", 10)
            with arena.start(contestant, "bulk", "connect", size=1400, seconds=total, timeout=600):
                receiver.wait_for("progress", 10)
                begin = time.monotonic()
                _listen(receiver, around)
                start, before = time.monotonic(), receiver.memory()
                during = before
                with Program("flood", flooding_host, *words) as flooder:
                    while time.monotonic() < start + seconds:
                        _listen(receiver, 0.1)
                        during = max(during, receiver.memory())
                    flooded = flooder.wait_for("flooded", 10)
                end = time.monotonic()
                _listen(receiver, around)
                finish, after = time.monotonic(), receiver.memory()
    reports = receiver.events
    return {
        "packets_per_second": flooded["packets"] / flooded["seconds"],
        "goodput": {
            "before": _goodput(reports, begin, start),
            "during": _goodput(reports, start, end),
            "after": _goodput(reports, end, finish),
        },
        "memory": {"before": before, "during": during, "after": after},
    }


def _listen(program: Program, seconds: float) -> None:
    """Read the output of a program for some seconds."""
    try:
        program.wait_for("received", seconds)
    except FailedError:
        return
    raise FailedError("the transfer ended before the flood")


def _goodput(reports: list[tuple[float, dict[str, Any]]], start: float, end: float) -> float:
    """Return the goodput between two instants from the reports of progress, Mbit/s."""
    bytes_then = max((each["bytes"] for at, each in reports if each["event"] == "progress" and at <= start), default=0)
    bytes_now = max((each["bytes"] for at, each in reports if each["event"] == "progress" and at <= end), default=0)
    return (bytes_now - bytes_then) * 8e-6 / (end - start)
