"""Goodput and CPU time: messages of one size for some seconds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from network import wired

from speed.program import Arena, Contestant, FailedError


@dataclass(frozen=True)
class Cell:
    """Settings of a transfer."""

    paths: int
    size: int
    """Size of a message in bytes."""
    udp: bool
    """Whether SCTP is encapsulated in UDP; else it is directly in IP."""
    offload: bool = True
    """Whether segmentation offload is on, as by default on virtual Ethernet."""

    def __str__(self) -> str:
        paths = "one path" if self.paths == 1 else f"{self.paths} paths"
        size = "64 KiB" if self.size == LARGE else f"{self.size:,} bytes"
        carrier = "UDP" if self.udp else "raw IP"
        return f"{paths}, {size}, {carrier}{'' if self.offload else ', no offload'}"

    def document(self) -> dict[str, Any]:
        """Return the settings as a document."""
        return asdict(self)


LARGE = 64 << 10

CELLS = [Cell(paths, size, udp) for udp in (True, False) for paths in (1, 2) for size in (1400, LARGE)]
CELLS += [Cell(1, 1400, udp=True, offload=False)]
"""The measured transfers."""


def measure(cell: Cell, contestant: Contestant, seconds: float) -> dict[str, Any]:
    """Run one transfer. Return goodput in Mbit/s, CPU seconds of both ends per GB (10^9 bytes), and counters."""
    with wired(cell.paths, offload=cell.offload) as network:
        arena = Arena(network, cell.paths, 9899 if cell.udp else None)
        with arena.start(contestant, "bulk", "listen") as receiver:
            receiver.wait_for("listening", 10)
            with arena.start(contestant, "bulk", "connect", size=cell.size, seconds=seconds) as sender:
                received = receiver.wait_for("received", limit(seconds))
                for program in (sender, receiver):
                    program.end(10)
    if received["bytes"] == 0 or received["seconds"] == 0:
        raise FailedError("nothing arrived")
    cpu = {"sender": sender.cpu_seconds, "receiver": receiver.cpu_seconds}
    counters = {
        role: {name: value for name, value in each.items() if name != "event"}
        for role, program in (("sender", sender), ("receiver", receiver))
        for _, each in program.events
        if each["event"] == "statistics"
    }
    return {
        "goodput": received["bytes"] * 8e-6 / received["seconds"],
        "cpu_per_gb": sum(cpu.values()) / (received["bytes"] * 1e-9),
        "seconds": received["seconds"],
        "bytes": received["bytes"],
        "cpu_seconds": cpu,
        "counters": counters,
    }


def limit(seconds: float) -> float:
    """Return the time limit of a transfer that sends for `seconds`, which only a stalled one exceeds."""
    return 3 * seconds + 15
