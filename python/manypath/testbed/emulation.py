"""A running emulation: hosts in network namespaces, connected by links that are emulated in real time."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread, Timer
from typing import Any, NamedTuple

import numpy as np

from manypath.emulation import Emulation, start
from manypath.emulation.log import LinkLog
from manypath.errors import UserError
from manypath.programs import APART, EMULATOR, last_line, launch, why_ended


@dataclass(frozen=True)
class Host:
    """The host of one end of a flow."""

    namespace: str
    """Network namespace of the host."""
    addresses: Mapping[str, str]
    """IPv4 address of the host on each path."""

    def command(self, *words: str) -> list[str]:
        """Return the command line that runs a command on this host."""
        return ["ip", "netns", "exec", self.namespace, *words]


class Sent(NamedTuple):
    """What a host sent on a path; not whole numbers, because they are interpolated."""

    packets: float
    """All packets."""
    bytes: float
    """Their bytes, with IP headers."""


class Running:
    """An emulation whose emulator has sent its first report, ``ready``."""

    def __init__(
        self, process: subprocess.Popen[str], reports: Iterator[Mapping[str, Any]], log: LinkLog | None = None
    ) -> None:
        self._process = process
        ready = next(reports, None)
        if ready is None:
            raise ValueError(f"{EMULATOR}: {last_line(process.communicate(timeout=PATIENCE)[1])}")
        self._interfaces = ready["interfaces"]
        self._began = math.inf
        self._reports: list[Mapping[str, Any]] = []
        self._unlogged: OSError | None = None
        # A pipe would fill up during the run, and the emulator would skip reports
        self._reader = Thread(target=self._read, args=(reports, log), daemon=True)
        self._reader.start()

    def _read(self, reports: Iterator[Mapping[str, Any]], log: LinkLog | None) -> None:
        """Keep the reports, and write each into the log while it can be written."""
        for report in reports:
            self._began = min(self._began, time.monotonic() - report["at"])
            self._reports.append(report)
            if log is not None:
                try:
                    log.write(report)
                except OSError as error:
                    self._unlogged, log = error, None

    def check(self) -> None:
        """Raise `ValueError` if the emulator has ended."""
        if self._process.poll() is not None:
            raise ValueError(self._early(self._process.communicate()[1]))

    def host(self, pair: str, side: str) -> Host:
        """Return the ``left`` or ``right`` host of a pair."""
        mine = [each for each in self._interfaces if (each["pair"], each["side"]) == (pair, side)]
        addresses = {each["path"]: each["addresses"][0].split("/")[0] for each in mine}
        return Host(mine[0]["namespace"], addresses)

    def stop(self) -> Mapping[str, Any]:
        """Stop the emulator and return its last report, which covers the whole run.

        Raises
        ------
        ValueError
            If the emulator ended without this report.
        OSError
            If a report could not be written into the log.
        """
        self._process.terminate()
        killer = Timer(PATIENCE, self._process.kill)
        killer.start()
        try:
            said = self._process.communicate()[1]
            self._reader.join()
        finally:
            killer.cancel()
        last = self._reports[-1] if self._reports else {}
        if last.get("event") != "end":
            raise ValueError(self._early(said))
        if self._unlogged is not None:
            raise self._unlogged
        return last

    def carried(self) -> dict[str, list[tuple[float, int]]]:
        """Return the bytes that each link has delivered, over the seconds since the begin of the emulation."""
        found: dict[str, list[tuple[float, int]]] = {}
        for report in self._reports:
            for link, counts in report["links"].items():
                found.setdefault(link, []).append((report["at"], counts["bytes_delivered"]))
        return found

    def began(self) -> float:
        """Return the latest possible begin of the emulation's time, in seconds of the system's monotonic clock.

        It is late by the time that the fastest report took.
        """
        return self._began

    def _early(self, said: str | None) -> str:
        return f"{EMULATOR} ended early: {why_ended(self._process, said)}"

    def sent(self, window: tuple[float, float]) -> dict[str, dict[str, Sent]]:
        """Return, for each pair, what its left host sent on each path within the window.

        The window is in seconds of the system's monotonic clock. At its edges, the numbers are interpolated between two
        reports.
        """
        edges = np.array(window) - self.began()
        instants = [0.0, *(report["at"] for report in self._reports)]
        found: dict[str, dict[str, Sent]] = {}
        for index, interface in enumerate(self._interfaces):
            if interface["side"] == "left":
                counts = [report["interfaces"][index] for report in self._reports]
                packets, sizes = (
                    np.diff(np.interp(edges, instants, [0, *(each[key] for each in counts)])).item()
                    for key in ("sent", "bytes_sent")
                )
                found.setdefault(interface["pair"], {})[interface["path"]] = Sent(packets, sizes)
        return found


def clean() -> None:
    """Remove the namespaces of killed emulations. Each run has its own name, so no later run would remove them.

    Raises
    ------
    UserError
        If they cannot be removed.
    """
    with launch(EMULATOR, ["clean"], **APART) as process:
        said = process.communicate()[1]
    if process.returncode != 0:
        raise UserError(f"testbed: the hosts of killed runs cannot be removed: {last_line(said)}")


@contextmanager
def running(emulation: Emulation, interval: float | None = None, log: LinkLog | None = None) -> Iterator[Running]:
    """Run an emulation for the duration of the context; the emulator then removes its namespaces and interfaces.

    `interval` is the number of seconds between two reports of its counters; `EVERY` if None. The reports are written
    into `log` as they come.

    Raises
    ------
    ValueError
        If the emulator fails to start.
    """
    process, reports = start(emulation, ["--interval", repr(interval or EVERY)], stdin=subprocess.DEVNULL, **APART)
    with process:
        try:
            yield Running(process, reports, log)
        finally:
            if process.poll() is None:
                process.terminate()


EVERY = 0.2
"""Seconds between two reports of the emulator's counters."""

PATIENCE = 20.0
"""Seconds that the emulator may take to end."""
