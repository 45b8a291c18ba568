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

T = TypeVar("T")


def lacks(*programs: str) -> bool:
    """Return whether a program is neither beside the interpreter nor on the PATH."""
    return not all(Path(sys.executable).with_name(name).is_file() or shutil.which(name) for name in programs)


# Only root may make network namespaces. Continuous integration is root and builds both programs, so no test is skipped.
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
    monkeypatch: pytest.MonkeyPatch,
    later: float = 0.3,
) -> Any:
    """Return the outcome of a run with a fault in its window, or the error that ended the run.

    `run` gets the length of the window. `fault` is called with a flow's part and its ends, `later` seconds after the
    begin of the window. Where a busy machine calls it after the window, the run is repeated with a longer one.
    """
    start: Callable[..., Any] = contestant.start
    in_time: list[bool] = []

    def start_and_act(self: Any, part: Any) -> Any:
        def act() -> None:
            fault(part, ends)
            in_time.append(time.monotonic() < part.window[1])

        ends: Any = start(self, part)
        timer = Timer(max(0.0, part.window[0] + later - time.monotonic()), act)
        part.processes.callback(timer.join)
        timer.start()
        return ends

    for seconds in (2, 8, 32, 128):
        in_time.clear()
        with monkeypatch.context() as patched:
            patched.setattr(contestant, "start", start_and_act)
            try:
                outcome = run(f"{seconds} s")
            except Exception as error:
                outcome = error
        if not in_time and isinstance(outcome, Exception):
            raise outcome
        if all(in_time):
            return outcome
    raise AssertionError("no fault came within its window")


def undisturbed(run: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Return the outcome of the first run of some for which a condition holds, else that of the last one.

    The condition fails if a process stands still for the whole window, as a busy machine may let it.
    """
    for _ in range(4):
        outcome = run()
        if holds(outcome):
            return outcome
    return run()
