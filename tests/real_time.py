"""What tests that run flows over emulated links in real time need: conditions, faults in time, and undisturbed runs."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import pytest

from manypath import _native
from manypath.testbed import emulation
from manypath.testbed.contestants import contestant, manypath

T = TypeVar("T")


def lacks(*programs: str) -> bool:
    """Return whether a program is neither beside the interpreter nor on the PATH."""
    return not all(Path(sys.executable).with_name(name).is_file() or shutil.which(name) for name in programs)


PATIENCE = 300.0
"""Seconds for which runs are repeated, and that an end or the emulator may take to stop. It bounds failures only."""

emulation.PATIENCE = contestant.PATIENCE = manypath.PATIENCE = PATIENCE

# Only root may make network namespaces. `.ci/run` is root and builds both programs, so it skips none of these tests.
needs_emulator = pytest.mark.skipif(
    os.geteuid() != 0 or lacks("manypath-emu"), reason="needs root and manypath-emu (make emu) to emulate links"
)
needs_stack = pytest.mark.skipif(
    os.geteuid() != 0 or lacks("manypath-emu", "manypath-net"),
    reason="needs root, manypath-emu and manypath-net (make emu net) to run our SCTP over emulated links",
)
needs_usrsctp = pytest.mark.skipif(
    lacks("cc", "pkg-config") or not Path("/usr/include/usrsctp.h").is_file(),
    reason="needs cc, pkg-config and libusrsctp-dev",
)


def disturbed(
    run: Callable[[str], Any],
    contestant: type,
    fault: Callable[[Any, Any], object],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    later: float = 0.3,
) -> None:
    """Check that a fault in the window of a run is reported: `said` is in the marks of the run or in its error.

    `run` gets the length of the window. `fault` is called with a flow's part and its ends, `later` seconds after the
    begin of the window. A busy machine may call it after the window, or start an end after the window. The run is then
    repeated with a longer one.
    """
    start: Callable[..., Any] = contestant.start

    def start_and_act(self: Any, part: Any) -> Any:
        ends: Any = start(self, part)
        timer = Timer(max(0.0, part.window[0] + later - time.monotonic()), fault, (part, ends))
        part.processes.callback(timer.join)
        timer.start()
        return ends

    report = ""
    for seconds in (2, 8, 32, 128):
        with monkeypatch.context() as patched:
            patched.setattr(contestant, "start", start_and_act)
            try:
                report = run(f"{seconds} s")["marks"]
            except _native.RunError as error:
                report = str(error)
        if said in report:
            return
    raise AssertionError(f"{said!r} is not in {report!r}")


def undisturbed(run: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Return the outcome of the first run for which a condition holds.

    A busy machine may let a process stand still for the whole window. Data that wait for a process before the window
    arrive within it. An end that starts after the window is an error.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            outcome = run()
            assert holds(outcome), outcome
        except (_native.RunError, AssertionError):
            if time.monotonic() > end:
                raise
        else:
            return outcome
