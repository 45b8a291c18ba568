"""Faults during a run of the testbed: each ends the run with its name, or marks it, and nothing stays behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from lists import cases
from manypath import _native, testbed
from manypath.campaign import Campaign
from manypath.errors import UserError
from manypath.testbed.contestants.kernel import Kernel
from manypath.testbed.contestants.manypath import Manypath
from manypath.testbed.contestants.usrsctp import Usrsctp
from manypath.testbed.emulation import clean
from manypath.testbed.runner import early_events
from real_time import disturbed, needs_stack

AT_ONCE = mp.Start(latest="0 s")
APP = mp.Saturated(message="1400 B")
FLOWS: dict[str, mp.Tcp | mp.Mptcp | mp.Sctp] = {
    "tcp": mp.Tcp(path="a", start=AT_ONCE),
    "mptcp": mp.Mptcp(paths=("a", "b"), cc="newreno", start=AT_ONCE),
    "manypath": mp.Sctp(paths=("a", "b"), app=APP, start=AT_ONCE),
    "usrsctp": mp.Sctp(paths=("a", "b"), app=APP, start=AT_ONCE),
}
"""A flow for each stack; the kernel has two transports."""

CONTESTANTS: dict[str, type] = {"tcp": Kernel, "mptcp": Kernel, "manypath": Manypath, "usrsctp": Usrsctp}
"""The contestants of these flows."""


def measured(kind: str, measure: str = "2 s") -> Any:
    """Return the outcome of one run of a flow over two links of 10 Mbit/s, which is measured from 1 s on."""
    link = mp.Link(rate="10 Mbit/s", delay="10 ms", overhead="0 B")
    network = mp.disjoint(a=link, b=link).but(access=None)
    scenario = mp.Scenario(network=network, flows={"f": FLOWS[kind]}, warmup="1 s", measure=measure)
    runner = testbed.Testbed(stacks={"f": kind} if kind == "usrsctp" else None)
    ((_, outcome),) = Campaign(scenario, replications=1, runner=runner).run(None, 1, progress=False).outcomes
    return outcome


def hosts(process: int) -> list[str]:
    """Return the namespaces of the runs of a process."""
    return [path.name for path in Path("/run/netns").glob(f"m{process}-*")]


def emulators(parent: int) -> Iterator[int]:
    """Yield the emulators that a process started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            program, status = (folder / "exe").readlink(), (folder / "stat").read_text("ascii")
        except OSError:
            continue
        if program.name == "manypath-emu" and int(status.rpartition(")")[2].split()[1]) == parent:
            yield int(folder.name)


@needs_stack
@pytest.mark.parametrize(
    ("kind", "side"),
    [
        ("tcp", "sender"),
        pytest.param("tcp", "receiver", marks=pytest.mark.long),
        pytest.param("mptcp", "receiver", marks=pytest.mark.long),
    ],
)
def test_a_delayed_end_of_a_kernel_flow_marks_its_run(kind: str, side: str, monkeypatch: pytest.MonkeyPatch):
    def delay(_: Any, ends: Any) -> None:
        getattr(ends, side).send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        getattr(ends, side).send_signal(signal.SIGCONT)

    said = f"flow f: its {side} was delayed by "
    disturbed(lambda measure: measured(kind, measure), Kernel, delay, said, monkeypatch)


@needs_stack
@pytest.mark.parametrize("kind", cases(FLOWS, long=lambda kind: kind in ("usrsctp", "mptcp")))
def test_a_flow_that_starts_late_marks_its_run(kind: str, monkeypatch: pytest.MonkeyPatch):
    # The instant of the start is over before the processes are started
    monkeypatch.setattr("manypath.testbed.runner.SETTLING", -0.2)
    for measure in ("2 s", "8 s", "32 s"):
        # The processes of a busy machine may start after the end of a short window
        with suppress(_native.RunError):
            assert "flow f: its sender was delayed by" in measured(kind, measure)["marks"]
            return
    assert "flow f: its sender was delayed by" in measured(kind, "128 s")["marks"]


def test_early_events_of_links_mark_a_run():
    still, failing = {"a": {"events": []}}, {"a": {"events": []}, "b": {"events": [{"at": 1, "change": "down"}]}}
    assert early_events(failing, 1.25) == [
        "the events of links were 1.2 s early, because the start of the run was delayed"
    ]
    assert early_events(failing, 0.1) == early_events(failing, -3.0) == early_events(still, 1.25) == []


@needs_stack
@pytest.mark.parametrize("kind", ["tcp", "manypath"])
def test_a_killed_end_is_named_with_its_signal(kind: str, monkeypatch: pytest.MonkeyPatch):
    def kill(_: Any, ends: Any) -> None:
        getattr(ends.sender, "process", ends.sender).kill()

    said = "flow f: its sender failed: it was killed by SIGKILL"
    disturbed(lambda measure: measured(kind, measure), CONTESTANTS[kind], kill, said, monkeypatch)
    assert not hosts(os.getpid())


@needs_stack
@pytest.mark.parametrize("kind", cases(["tcp", "usrsctp"], long=lambda kind: kind == "usrsctp"))
def test_a_killed_emulator_ends_its_run_at_once_and_the_next_campaign_removes_its_hosts(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    running: list[str] = []

    def kill(*_: Any) -> None:
        # A campaign of another test may remove the hosts as soon as their emulator is killed
        running.extend(hosts(os.getpid()))
        for emulator in emulators(os.getpid()):
            os.kill(emulator, signal.SIGKILL)

    begin = time.monotonic()
    said = "manypath-emu ended early: it was killed by SIGKILL"
    disturbed(lambda _: measured(kind, "600 s"), CONTESTANTS[kind], kill, said, monkeypatch)
    assert time.monotonic() - begin < 300
    assert running
    testbed.Testbed().prepare([], 1)
    assert not hosts(os.getpid())


def test_hosts_that_cannot_be_removed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    emulator = tmp_path / "manypath-emu"
    emulator.write_text("#!/bin/sh\necho 'error: no rights' >&2\nexit 1\n")
    emulator.chmod(0o755)
    monkeypatch.setattr("manypath.programs.program", lambda _: str(emulator))
    with pytest.raises(UserError, match=r"^testbed: the hosts of killed runs cannot be removed: error: no rights$"):
        clean()


@needs_stack
def test_a_run_does_not_use_a_namespace_that_exists(monkeypatch: pytest.MonkeyPatch):
    taken = f"m{os.getpid()}-7-f-left"
    ip = str(shutil.which("ip"))
    subprocess.run([ip, "netns", "add", taken], check=True)
    try:
        monkeypatch.setattr("manypath.testbed.runner.EMULATIONS", count(7))
        with pytest.raises(Exception, match=rf"manypath-emu: error: .*{taken}"):
            measured("tcp")
        assert hosts(os.getpid()) == [taken]
    finally:
        subprocess.run([ip, "netns", "delete", taken], check=True)


SPIN = """
import os, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(os.sched_get_priority_max(os.SCHED_FIFO)))
end = time.process_time() + 0.8
while time.process_time() < end: pass
"""
"""A program that uses its processor for 0.8 s, before all others."""

SIDES = ("left", "right")
"""The hosts of a flow."""


@needs_stack
@pytest.mark.parametrize("kind", [pytest.param("tcp", marks=pytest.mark.long), "manypath"])
def test_an_overloaded_processor_marks_a_run(kind: str, monkeypatch: pytest.MonkeyPatch):
    # The processes of the run inherit the processor, so that other tests keep the other processors.
    processors = os.sched_getaffinity(0)
    processor = min(processors)

    def overload(*_: Any) -> None:
        subprocess.run([sys.executable, "-ISc", SPIN], check=True)

    os.sched_setaffinity(0, {processor})
    try:
        disturbed(lambda measure: measured(kind, measure), CONTESTANTS[kind], overload, "late", monkeypatch)
    finally:
        os.sched_setaffinity(0, processors)


@pytest.mark.long
@needs_stack
def test_two_testbeds_do_not_disturb_each_other(tmp_path: Path):
    script = tmp_path / "run.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from test_testbed_faults import measured\n"
        "print(measured('manypath', sys.argv[1])['flows']['f']['goodput'] > 0)\n"
    )
    # A busy machine may need longer for the run beside than for the first of these
    for measure in ("15 s", "60 s", "240 s"):
        words = [sys.executable, str(script), measure, *map(str, Path(__file__).parents[:2])]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            while len(hosts(process.pid)) < len(SIDES) and process.poll() is None:
                time.sleep(0.05)
            before = hosts(process.pid)
            # The start of a testbed removes the hosts of killed testbeds only.
            assert measured("manypath", "4 s")["flows"]["f"]["goodput"] > 0
            after = hosts(process.pid)
            assert process.communicate(timeout=600)[0] == "True\n"
        assert process.returncode == 0
        assert not hosts(process.pid)
        if len(before) == len(SIDES) and sorted(after) == sorted(before):
            return
    pytest.fail("no testbed kept its hosts beside another one")


@needs_stack
def test_the_emulator_of_a_killed_testbed_removes_its_hosts(tmp_path: Path):
    script = tmp_path / "run.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[1:]\nfrom test_testbed_faults import measured\nmeasured('tcp', '600 s')\n"
    )
    with subprocess.Popen([sys.executable, script, *Path(__file__).parents[:2]], process_group=0) as process:
        while not hosts(process.pid) and process.poll() is None:
            time.sleep(0.05)
        assert hosts(process.pid)
        process.kill()
    deadline = time.monotonic() + 300
    while hosts(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not hosts(process.pid)
