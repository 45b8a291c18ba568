"""Faults during a run of the testbed: each ends the run with its name, or marks it, and nothing stays behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import manypath as mp
from manypath import testbed
from manypath.campaign import Campaign
from manypath.errors import UserError
from manypath.testbed.contestants.kernel import Kernel
from manypath.testbed.contestants.manypath import Manypath
from manypath.testbed.emulation import clean
from manypath.testbed.runner import early_events
from real_time import needs_stack

AT_ONCE = mp.Start(latest="0 s")
APP = mp.Saturated(message="1400 B")
FLOWS: dict[str, mp.Tcp | mp.Mptcp | mp.Sctp] = {
    "tcp": mp.Tcp(path="a", start=AT_ONCE),
    "mptcp": mp.Mptcp(paths=("a", "b"), cc="newreno", start=AT_ONCE),
    "manypath": mp.Sctp(paths=("a", "b"), app=APP, start=AT_ONCE),
    "usrsctp": mp.Sctp(paths=("a", "b"), app=APP, start=AT_ONCE),
}
"""A flow for each stack; the kernel has two transports."""


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


def after_start(
    contestant: type, action: Callable[[Any, Any], None], monkeypatch: pytest.MonkeyPatch, later: float = 0.3
) -> None:
    """Call `action` with a flow's part and its ends, `later` seconds after the begin of the window."""
    start: Callable[..., Any] = contestant.start

    def start_and_act(self: Any, part: Any) -> Any:
        ends: Any = start(self, part)
        timer = Timer(part.window[0] + later - time.monotonic(), action, [part, ends])
        part.processes.callback(timer.join)
        timer.start()
        return ends

    monkeypatch.setattr(contestant, "start", start_and_act)


@needs_stack
@pytest.mark.parametrize(("kind", "side"), [("tcp", "sender"), ("tcp", "receiver"), ("mptcp", "receiver")])
def test_a_delayed_end_of_a_kernel_flow_marks_its_run(kind: str, side: str, monkeypatch: pytest.MonkeyPatch):
    def delay(_: Any, ends: Any) -> None:
        getattr(ends, side).send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        getattr(ends, side).send_signal(signal.SIGCONT)

    after_start(Kernel, delay, monkeypatch)
    assert f"flow f: its {side} was delayed by " in measured(kind)["marks"]


@needs_stack
@pytest.mark.parametrize("kind", FLOWS)
def test_a_flow_that_starts_late_marks_its_run(kind: str, monkeypatch: pytest.MonkeyPatch):
    # The instant of the start is over before the processes are started
    monkeypatch.setattr("manypath.testbed.runner.SETTLING", -0.2)
    assert "flow f: its sender was delayed by" in measured(kind)["marks"]


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

    after_start(Manypath if kind == "manypath" else Kernel, kill, monkeypatch)
    with pytest.raises(Exception, match="flow f: its sender failed: it was killed by SIGKILL"):
        measured(kind)
    assert not hosts(os.getpid())


@needs_stack
@pytest.mark.parametrize("kind", ["tcp", "usrsctp"])
def test_a_killed_emulator_ends_its_run_at_once_and_the_next_campaign_removes_its_hosts(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    def kill() -> None:
        while not hosts(os.getpid()):
            time.sleep(0.05)
        time.sleep(1)
        for emulator in emulators(os.getpid()):
            os.kill(emulator, signal.SIGKILL)

    killer = Timer(0, kill)
    killer.start()
    begin = time.monotonic()
    with pytest.raises(Exception, match="manypath-emu ended early: it was killed by SIGKILL"):
        measured(kind, measure="600 s")
    killer.join()
    assert time.monotonic() - begin < 300
    assert hosts(os.getpid())
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


SPIN = "import time; end = time.monotonic() + 0.8\nwhile time.monotonic() < end: pass"
"""A program that uses its processor for 0.8 s."""

SIDES = ("left", "right")
"""The hosts of a flow."""


@needs_stack
@pytest.mark.parametrize("kind", ["tcp", "manypath"])
def test_an_overloaded_processor_marks_a_run(kind: str, monkeypatch: pytest.MonkeyPatch):
    # The processes of the run inherit the processor, so that other tests keep the other processors.
    processors = os.sched_getaffinity(0)
    processor = min(processors)

    def overload(*_: Any) -> None:
        urgent = os.sched_param(os.sched_get_priority_max(os.SCHED_FIFO))
        with subprocess.Popen([sys.executable, "-ISc", SPIN]) as process:
            os.sched_setscheduler(process.pid, os.SCHED_FIFO, urgent)

    after_start(Manypath if kind == "manypath" else Kernel, overload, monkeypatch)
    os.sched_setaffinity(0, {processor})
    try:
        assert "late" in measured(kind)["marks"]
    finally:
        os.sched_setaffinity(0, processors)


@needs_stack
def test_two_testbeds_do_not_disturb_each_other(tmp_path: Path):
    script = tmp_path / "run.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_testbed_faults import measured\n"
        "print(measured('manypath', '15 s')['flows']['f']['goodput'] > 0)\n"
    )
    words = [sys.executable, str(script), *map(str, Path(__file__).parents[:2])]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        while len(hosts(process.pid)) < len(SIDES) and process.poll() is None:
            time.sleep(0.05)
        before = hosts(process.pid)
        # The start of a testbed removes the hosts of killed testbeds only.
        assert measured("manypath")["flows"]["f"]["goodput"] > 0
        assert sorted(hosts(process.pid)) == sorted(before)
        assert process.communicate(timeout=300)[0] == "True\n"
    assert process.returncode == 0
    assert not hosts(process.pid)


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
