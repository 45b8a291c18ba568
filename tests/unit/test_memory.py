"""The estimate of a run's memory, compared with what runs use; each runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MEASURE = """
import json, sys
from pathlib import Path
import manypath as mp
from manypath import _native

def memory(kind):
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split(kind + ":")[1].split()[0])

scenario = eval(sys.argv[1])
estimate = _native.memory(scenario.document())
# The peak counts from here on. proc_pid_clear_refs(5)
Path("/proc/self/clear_refs").write_text("5")
before = memory("VmRSS")
if sys.argv[2:]:
    mp.run(scenario)
print(json.dumps([estimate, memory("VmHWM") - before]))
"""
"""Prints the estimate for a scenario, and the memory that its run used if there is a run, bytes."""

MANY = """mp.Scenario(
    network=mp.bottleneck(mp.Link(rate="1 Gbit/s", delay="10 ms", queue=mp.DropTail(packets=1000)), paths=500),
    flows={f"f{i}": mp.Tcp(path=f"path{i + 1}", SETTINGS) for i in range(500)},
    warmup="1 s",
    measure="3 s",
)"""
"""Five hundred flows on one link."""

TWO_PATHS = """mp.Scenario(
    network=mp.disjoint(a=mp.Link(rate="RATE", delay="10 ms"), b=mp.Link(rate="RATE", delay="10 ms")),
    flows={f"f{i}": mp.PROTOCOL(paths=["a", "b"], SETTINGS) for i in range(COUNT)},
    warmup="1 s",
    measure="4 s",
)"""
"""Flows on two paths."""

DEEP = """mp.Scenario(
    network=mp.disjoint(a=mp.Link(rate="100 Mbit/s", delay="10 ms", queue=mp.DropTail(packets=1_000_000))),
    flows={f"f{i}": mp.Tcp(path="a", send_buffer="64 MB", receive_buffer="64 MB") for i in range(4)},
    warmup="1 s",
    measure="8 s",
)"""
"""A queue that holds all data of its flows."""


def two_paths(protocol: str, count: int, rate: str = "100 Mbit/s", settings: str = "") -> str:
    """Return flows on two paths."""
    text = TWO_PATHS.replace("PROTOCOL", protocol).replace("COUNT", str(count)).replace("RATE", rate)
    return text.replace("SETTINGS", settings)


LARGE = 'send_buffer="20 MB", receive_buffer="20 MB"'
SCENARIOS = {
    "500 TCP flows": MANY.replace("SETTINGS", ""),
    "500 TCP flows, small buffers": MANY.replace("SETTINGS", 'send_buffer="100 kB", receive_buffer="100 kB"'),
    "500 TCP flows, constant rate": MANY.replace("SETTINGS", 'app=mp.Cbr(rate="100 kbit/s")'),
    "100 MPTCP flows": two_paths("Mptcp", 100),
    "100 SCTP flows": two_paths("Sctp", 100),
    "1 SCTP flow, large buffers": two_paths("Sctp", 1, "1 Gbit/s", LARGE).replace("4 s", "1 s"),
    "1 SCTP flow, small messages": two_paths("Sctp", 1, "10 Mbit/s", 'app=mp.Saturated(message="10 B")'),
    "a deep queue": DEEP,
}
"""Scenarios of all kinds: Python expressions."""

LONG = ("500 TCP flows", "500 TCP flows, small buffers", "1 SCTP flow, large buffers", "a deep queue")
"""Those that take longest."""


def measured(scenario: str, *run: str) -> list[int]:
    """Return the estimate and the used memory."""
    command = [sys.executable, "-c", MEASURE, scenario, *run]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process from /proc")
@pytest.mark.parametrize(
    "scenario",
    [pytest.param(text, id=name, marks=[pytest.mark.long] * (name in LONG)) for name, text in SCENARIOS.items()],
)
def test_the_estimate_is_within_a_factor_of_three_of_what_a_run_uses(scenario: str):
    estimate, used = measured(scenario, "run")
    assert used > 1e6
    assert 1 / 3 < estimate / used < 3, f"estimate {estimate / 1e6:.1f} MB, used {used / 1e6:.1f} MB"


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process from /proc")
def test_ten_thousand_flows_need_less_than_eight_gigabytes():
    estimate, _ = measured(MANY.replace("SETTINGS", "").replace("500", "10_000"))
    assert 0.5e9 < estimate < 8e9
