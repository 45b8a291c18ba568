"""An emulation under way: hosts in namespaces, joined by links that are driven by the clock."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any

from manypath.emulation import Emulation, start
from manypath.programs import APART, EMULATOR, last_line


@dataclass(frozen=True)
class Host:
    """One end of a flow."""

    namespace: str
    """Where its programs run."""
    addresses: Mapping[str, str]
    """Its IPv4 address on each path."""

    def command(self, *words: str) -> list[str]:
        """A command line that runs there."""
        return ["ip", "netns", "exec", self.namespace, *words]


class Running:
    """What an emulator emulates, from its first report on."""

    def __init__(self, process: subprocess.Popen[str], reports: Iterator[Mapping[str, Any]]) -> None:
        self._process = process
        self._reports = reports
        ready = next(reports, None)
        if ready is None:
            raise ValueError(f"{EMULATOR}: {last_line(process.communicate(timeout=PATIENCE)[1])}")
        self._interfaces = ready["interfaces"]

    def host(self, pair: str, side: str) -> Host:
        """The ``left`` or ``right`` host of a pair."""
        mine = [each for each in self._interfaces if (each["pair"], each["side"]) == (pair, side)]
        addresses = {each["path"]: each["addresses"][0].split("/")[0] for each in mine}
        return Host(mine[0]["namespace"], addresses)

    def stop(self) -> Mapping[str, Any]:
        """End it, and return what it says of the whole run.

        Raises
        ------
        ValueError
            If it has ended before, or says nothing.
        """
        self._process.terminate()
        killer = Timer(PATIENCE, self._process.kill)
        killer.start()
        try:
            *_, last = [{}, *self._reports]
            said = self._process.communicate()[1]
        finally:
            killer.cancel()
        if last.get("event") != "end":
            raise ValueError(f"{EMULATOR} ended early: {last_line(said)}")
        return last

    def packets(self, ending: Mapping[str, Any]) -> dict[str, dict[str, int]]:
        """For each pair, how many packets its left host sent on each path."""
        found: dict[str, dict[str, int]] = {}
        for interface, counts in zip(self._interfaces, ending["interfaces"], strict=True):
            if interface["side"] == "left":
                found.setdefault(interface["pair"], {})[interface["path"]] = counts["sent"]
        return found


@contextmanager
def running(emulation: Emulation) -> Iterator[Running]:
    """Emulate something; in the end nothing of it is left.

    Raises
    ------
    ValueError
        If the emulation did not come about.
    """
    process, reports = start(emulation, ["--interval", "3600"], stdin=subprocess.DEVNULL, **APART)
    with process:
        try:
            yield Running(process, reports)
        finally:
            if process.poll() is None:
                process.terminate()


PATIENCE = 20.0
"""Seconds after which an emulation that ends has ended."""
