"""What a row of the benchmark takes, in CPU time.

Each row runs in a process of its own, so that its peak memory is its own. Speed is counted over the whole run, warm-up
included: packet-hops (one packet across one link), data packets, simulated seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from manypath import _native
from manypath.bench.rows import ROWS


@dataclass(frozen=True)
class Measured:
    """What one row took, on one core, and what its flows achieved."""

    scenario: str
    """Name of the row."""
    packet_hops_per_second: float
    """Packets across one link each, acknowledgements included, per CPU second."""
    nanoseconds_per_data_packet: float
    """CPU time per packet with data that was sent."""
    simulated_seconds_per_cpu_second: float
    """How much faster than real time."""
    data_packets_per_second: float
    """Packets with data that were sent, per CPU second."""
    peak_memory_bytes: int
    """Most memory that the process ever had, interpreter included."""
    digest: str
    """Name of the run's whole course: equal digests mean equal work."""
    cpu_seconds: float
    """What it took."""
    goodput: dict[str, float]
    """Payload delivered by each flow after the warm-up, in Mbit/s."""
    loss_rate: float
    """Packets of the sources that links dropped, lost or damaged after the warm-up, as part of those with data."""


def measure(name: str) -> Measured:
    """Run a row in a process of its own."""
    command = [sys.executable, "-m", "manypath.bench", name]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - our own module
    return Measured(**json.loads(ran.stdout))


def measure_here(name: str) -> Measured:
    """Run a row in this process."""
    document = ROWS[name]().document()
    outcome = json.loads(_native.run(document, SEED, 0, None)[0])
    seconds = outcome["cpu_seconds"]
    flows = outcome["flows"]
    paths = [path for flow in flows.values() for path in flow["paths"].values()]
    return Measured(
        scenario=name,
        packet_hops_per_second=outcome["packet_hops"] / seconds,
        nanoseconds_per_data_packet=1e9 * seconds / outcome["data_packets"],
        simulated_seconds_per_cpu_second=outcome["simulated_seconds"] / seconds,
        data_packets_per_second=outcome["data_packets"] / seconds,
        peak_memory_bytes=_peak_memory(),
        digest=outcome["digest"],
        cpu_seconds=seconds,
        goodput={flow: numbers["goodput"] / 1e6 for flow, numbers in flows.items()},
        loss_rate=sum(path["lost_packets"] for path in paths) / sum(path["data_packets"] for path in paths),
    )


def _peak_memory() -> int:
    """Bytes that this process had at most, in memory of its own image; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


SEED = 1
"""Seed of all rows."""
