"""What every contestant does, and what it is given."""

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

from manypath.programs import APART, last_line, spawn
from manypath.testbed.emulation import Host


@dataclass(frozen=True)
class Part:
    """The part of a flow in a run: which hosts it joins, and when."""

    name: str
    """The flow, as the scenario calls it."""
    flow: Mapping[str, Any]
    """What the scenario's document says of it, in base units."""
    left: Host
    """Where the sender is."""
    right: Host
    """Where the receiver is."""
    starts: float
    """When the sender opens the connection, on the system's monotonic clock in seconds."""
    window: tuple[float, float]
    """When measuring begins and when the flow ends, on the same clock."""
    processes: ExitStack
    """What ends with the run at the latest."""

    def process(self, host: Host, script: Path, *words: str, **streams: Any) -> subprocess.Popen[str]:
        """Start a script of ours on a host; it ends with the run at the latest. `streams` are those of `Popen`."""
        # Without the site's packages it starts in some hundredths of a second.
        line = host.command(sys.executable, "-I", "-S", str(script), *words)
        process = spawn(line, **{"stdin": subprocess.DEVNULL, **APART, **streams})
        self.processes.enter_context(process)
        self.processes.callback(process.kill)
        return process

    def said(self, process: subprocess.Popen[str]) -> str:
        """What a program of the flow said.

        Raises
        ------
        ValueError
            If it did not come to a good end.
        """
        out, error = process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            raise ValueError(f"flow {self.name}: an end failed: {last_line(error)}")
        return out


@dataclass(frozen=True)
class Account:
    """What came of a flow."""

    notes: NDArray[np.float64]
    """When how much payload had come: rows of an instant in seconds, on the system's monotonic clock, and bytes."""
    doubts: Sequence[str] = ()
    """Why the run is not to be trusted."""
    flow: Mapping[str, float] = field(default_factory=dict)
    """What else was counted while it was measured, by the names of the simulator's measurements."""
    paths: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The same for each path."""


class Contestant(Protocol):
    """Plays flows of some transports: starts both ends, stops them in bounded time, and says what came."""

    @property
    def name(self) -> str:
        """Name of the stack, by which users choose it."""
        ...

    @property
    def transports(self) -> tuple[str, ...]:
        """The transports that it runs, by their names in scenarios."""
        ...

    @property
    def fingerprints(self) -> Sequence[str]:
        """Hashes of the programs that results depend on, without those that are not installed."""
        ...

    def check(self, field: str, flow: Mapping[str, Any]) -> None:
        """Raise `UserError` if it cannot play a flow, which messages call `field`."""
        ...

    def sysctl(self, flow: Mapping[str, Any]) -> Mapping[str, str]:
        """Settings of the kernel that the hosts of a flow need."""
        ...

    def start(self, part: Part) -> Ends:
        """Start both ends of a flow, or what starts them in time."""
        ...


class Ends(Protocol):
    """Both ends of a flow that was started."""

    def stop(self) -> None:
        """End the sender, once the flow is over."""
        ...

    def account(self) -> Account:
        """Wait for both ends, and return what came."""
        ...


def only_saturated(field: str, flow: Mapping[str, Any]) -> str | None:
    """What is wrong with the application of a flow; nothing if it always has something to send."""
    kind = flow["app"]["kind"]
    return None if kind == "saturated" else f"{field}.app: {kind} is not built for the testbed: give saturated"


def standstill(name: str, side: str, longest: float) -> Iterator[str]:
    """What an end gives reason to doubt that did nothing for so many seconds beyond its time."""
    if longest > STANDSTILL:
        yield f"flow {name}: its {side} stood still for {longest:.1f} s"


STANDSTILL = 0.1
"""Seconds by which no end may be late: as the emulator's own bound."""

PATIENCE = 10.0
"""Seconds after which a receiver has noticed that its sender is gone."""
