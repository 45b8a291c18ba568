"""Measurement of a row of the benchmark, in CPU time.

Each row runs in a separate process, to measure its peak memory. Speed is measured over the whole run, including the
warm-up: packet-hops (one packet across one link), data packets, simulated seconds.
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
    """Speed and results of a row, on one core."""

    scenario: str
    """Name of the row."""
    packet_hops_per_second: float
    """Packets times links, acknowledgements included, per CPU second."""
    nanoseconds_per_data_packet: float
    """CPU time per sent data packet, nanoseconds."""
    simulated_seconds_per_cpu_second: float
    """Simulated seconds per CPU second."""
    data_packets_per_second: float
    """Sent data packets per CPU second."""
    peak_memory_bytes: int
    """Peak memory of the process, interpreter included."""
    digest: str
    """Hash of what happened to each packet at each link: runs with equal digests did equal work."""
    cpu_seconds: float
    """CPU time of the run, seconds."""
    goodput: dict[str, float]
    """Goodput of each flow after the warm-up, Mbit/s."""
    loss_rate: float
    """Senders' packets that links dropped, lost or damaged after the warm-up, as a share of their data packets."""


def measure(name: str) -> Measured:
    """Run a row in a separate process."""
    command = [sys.executable, "-m", "manypath.bench", name]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - our own module
    return Measured(**json.loads(ran.stdout))


def measure_here(name: str, replication: int = 0) -> Measured:
    """Run a row in this process."""
    document = ROWS[name]().document()
    outcome = json.loads(_native.run(document, SEED, replication)[0])
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
    """Return the peak resident memory of this process, bytes; 0 if the system does not report it."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


SEED = 1
"""Seed of all rows."""
