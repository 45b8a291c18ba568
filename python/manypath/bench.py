"""How fast the simulator is: fixed scenarios, one thread, CPU time.

Each row runs in a process of its own, so that its peak memory is its own. Everything is counted over the whole run,
warm-up included: packet-hops (one packet across one link), data packets, simulated seconds.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from manypath import _native
from manypath.errors import UserError, remedy
from manypath.scenario import Link, Saturated, Scenario, Sctp, disjoint


@dataclass(frozen=True)
class Row:
    """A scenario of the benchmark: two disjoint paths, a CMT association on both, a single-path rival on one [D11]."""

    rate: str
    """Rate of each path."""
    cc: str
    """Congestion control of the CMT association."""
    measure: str
    """Simulated time after the warm-up, worth some seconds of CPU."""

    def scenario(self) -> Scenario:
        """What is run."""
        link = Link(rate=self.rate, delay="1 ms")
        app = Saturated(message=1452)
        return Scenario(
            network=disjoint(south=link, north=link),
            flows={
                "cmt": Sctp(paths=["south", "north"], cc=self.cc, app=app),
                "single": Sctp(paths=["south"], app=app),
            },
            warmup="10 s",
            measure=self.measure,
        )


ROWS: Mapping[str, Row] = {
    "D10/newreno": Row(rate="10 Mbit/s", cc="newreno", measure="5000 s"),
    "D10/cmt-rpv2": Row(rate="10 Mbit/s", cc="cmt-rpv2", measure="5000 s"),
    "D100/newreno": Row(rate="100 Mbit/s", cc="newreno", measure="450 s"),
}
"""The rows by name: what is run, before the slash, and the congestion control after it."""


@dataclass(frozen=True)
class Measured:
    """What one row took, on one core."""

    scenario: str
    """Name of the row."""
    packet_hops_per_second: float
    """Packets across one link each, SACKs included, per CPU second."""
    simulated_seconds_per_cpu_second: float
    """How much faster than real time."""
    data_packets_per_second: float
    """Packets with DATA that were sent, per CPU second."""
    peak_memory_bytes: int
    """Most memory that the process ever had, interpreter included."""
    digest: str
    """Name of the run's whole course: equal digests mean equal work."""
    cpu_seconds: float
    """What it took."""


def names(wanted: list[str]) -> list[str]:
    """The rows that `wanted` names, in full or by what is before the slash; all rows if it is empty."""
    if not wanted:
        return list(ROWS)
    found: list[str] = []
    for word in wanted:
        rows = [name for name in ROWS if word in (name, name.split("/")[0])]
        if not rows:
            raise UserError(f'scenario: "{word}" is no row of the benchmark: {remedy(word, ROWS)}')
        found += [name for name in rows if name not in found]
    return found


def measure(name: str) -> Measured:
    """Run a row in a process of its own."""
    command = [sys.executable, "-m", "manypath.bench", name]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - our own module
    return Measured(**json.loads(ran.stdout))


def _measure_here(name: str) -> Measured:
    """Run a row in this process."""
    document = ROWS[name].scenario().document()
    outcome = json.loads(_native.run(document, 1, 0, None)[0])
    seconds = outcome["cpu_seconds"]
    return Measured(
        scenario=name,
        packet_hops_per_second=outcome["packet_hops"] / seconds,
        simulated_seconds_per_cpu_second=outcome["simulated_seconds"] / seconds,
        data_packets_per_second=outcome["data_packets"] / seconds,
        peak_memory_bytes=_peak_memory(),
        digest=outcome["digest"],
        cpu_seconds=seconds,
    )


def _peak_memory() -> int:
    """Bytes that this process had at most, in memory of its own image; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    # Ctrl-C reaches this process beside its parent, which is the one to speak.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.write(json.dumps(asdict(_measure_here(sys.argv[1]))))
