"""An emulation under way: hosts in namespaces, joined by links that are driven by the clock."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO, cast

from manypath.programs import program


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


class Emulation:
    """An emulation by `manypath-emu`."""

    def __init__(self, process: subprocess.Popen[str], ready: Mapping[str, Any]) -> None:
        self._process = process
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
        out, said = self._process.communicate(timeout=PATIENCE)
        last = json.loads((out.strip().splitlines() or ["{}"])[-1])
        if last.get("event") != "end":
            raise ValueError(f"manypath-emu ended early: {(said.strip().splitlines() or ['it said nothing'])[-1]}")
        return last

    def packets(self, ending: Mapping[str, Any]) -> dict[str, dict[str, int]]:
        """For each pair, how many packets its left host sent on each path."""
        found: dict[str, dict[str, int]] = {}
        for interface, counts in zip(self._interfaces, ending["interfaces"], strict=True):
            if interface["side"] == "left":
                found.setdefault(interface["pair"], {})[interface["path"]] = counts["sent"]
        return found


@contextmanager
def emulation(document: Mapping[str, Any]) -> Iterator[Emulation]:
    """Emulate what a document says; in the end nothing of it is left.

    Raises
    ------
    ValueError
        If the emulation did not come about.
    """
    with subprocess.Popen(  # noqa: S603 - our own program
        [program("manypath-emu"), "run", "-", "--interval", "3600"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Ctrl-C is for this process, which finishes its runs.
        process_group=0,
    ) as process:
        try:
            with cast("TextIO", process.stdin) as stdin:
                stdin.write(json.dumps(document))
            process.stdin = None
            line = cast("TextIO", process.stdout).readline()
            if not line:
                said = process.communicate(timeout=PATIENCE)[1].strip().splitlines()
                raise ValueError(f"manypath-emu: {said[-1] if said else 'it said nothing'}")
            yield Emulation(process, json.loads(line))
        finally:
            if process.poll() is None:
                process.terminate()


PATIENCE = 20.0
"""Seconds after which an emulation that ends has ended."""
