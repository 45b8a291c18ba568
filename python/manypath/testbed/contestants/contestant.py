"""The interface of contestants, their input and their result."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manypath.programs import APART, spawn, why_ended
from manypath.testbed.emulation import Host


@dataclass(frozen=True)
class Part:
    """A flow of a run: its settings, hosts and times."""

    name: str
    """Name of the flow in the scenario."""
    flow: Mapping[str, Any]
    """The flow in the scenario's document, in base units."""
    left: Host
    """Host of the sender."""
    right: Host
    """Host of the receiver."""
    starts: float
    """Instant at which the sender opens the connection, in seconds of the system's monotonic clock."""
    window: tuple[float, float]
    """Begin of the measurement and end of the flow, on the same clock."""
    processes: ExitStack
    """Processes that are ended when the run ends."""
    events: Path | None = None
    """File for the events of the sender, if its stack has events."""

    def process(self, host: Host, script: Path, *words: str, **streams: Any) -> subprocess.Popen[str]:
        """Start a script of this package on a host and end it when the run ends. `streams` are arguments of `Popen`."""
        # Without site packages, Python starts in some hundredths of a second.
        line = host.command(sys.executable, "-I", "-S", str(script), *words)
        process = spawn(line, **{"stdin": subprocess.DEVNULL, **APART, **streams})
        self.processes.enter_context(process)
        self.processes.callback(process.kill)
        return process

    def said(self, side: str, process: subprocess.Popen[str]) -> str:
        """Wait for the end of the ``sender`` or ``receiver`` of the flow and return its output.

        Raises
        ------
        ValueError
            If the program failed, or if it does not end.
        """
        try:
            out, error = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise ValueError(f"flow {self.name}: its {side} did not end") from None
        if process.returncode != 0:
            raise ValueError(f"flow {self.name}: its {side} failed: {why_ended(process, error)}")
        return out


@dataclass(frozen=True)
class Account:
    """The result of a flow."""

    notes: NDArray[np.float64]
    """Received payload over time: rows of an instant in seconds of the system's monotonic clock, and bytes."""
    doubts: Sequence[str] = ()
    """Reasons for which the run is not reliable."""
    flow: Mapping[str, float] = field(default_factory=dict)
    """Other counters within the window, by the names of the simulator's measurements."""
    paths: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Counters of each path within the window, by the same names."""


class Contestant(Protocol):
    """A stack that runs flows of some transports: it starts and stops both ends and returns the result."""

    @property
    def name(self) -> str:
        """Name of the stack in the options of users."""
        ...

    @property
    def transports(self) -> tuple[str, ...]:
        """The transports that the stack runs, by their names in scenarios."""
        ...

    @property
    def fingerprints(self) -> Sequence[str]:
        """Hashes of the installed programs that affect results."""
        ...

    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        """Raise `UserError` if the stack does not support a flow. `field` is the name of the flow in messages."""
        ...

    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the kernel settings for both hosts of a flow."""
        ...

    def start(self, part: Part) -> Ends:
        """Start both ends of a flow; the sender opens the connection at `part.starts`."""
        ...


class Ends(Protocol):
    """Both ends of a running flow."""

    def stop(self) -> None:
        """Stop the sender after the window, if it does not stop by itself."""
        ...

    def account(self) -> Account:
        """Wait for both ends and return the result."""
        ...


def only_saturated(field: str, flow: Mapping[str, Any]) -> str | None:
    """Return the error message if the testbed does not support the application of a flow, else None."""
    kind = flow["app"]["kind"]
    return None if kind == "saturated" else f"{field}.app: the testbed does not support {kind}: give saturated"


def delays(name: str, side: str, longest: float) -> Iterator[str]:
    """Yield a reason not to trust the run if the longest delay of an end, in seconds, exceeds `LONGEST_DELAY`."""
    if longest > LONGEST_DELAY:
        yield f"flow {name}: its {side} was delayed by {longest:.1f} s"


LONGEST_DELAY = 0.1
"""Largest delay of an end in seconds; the emulator has the same limit."""

PATIENCE = 10.0
"""Seconds that an end may take to stop."""

GUARD = Path(__file__).with_name("guard.py")
"""The script that starts a program with real-time priority. The program ends when its parent ends."""
