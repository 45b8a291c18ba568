"""Programs that each measure one stack, with the arguments and events of `peers/CONTRACT.md`."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from network import Host, Network
from peer import PROGRAMS


@dataclass(frozen=True)
class Contestant:
    """A stack with its settings."""

    stack: str
    """``manypath`` or ``usrsctp``."""
    buffer: int = 4 << 20
    """Size of the send and of the receive buffer in bytes."""

    @property
    def name(self) -> str:
        """Return the name in results."""
        return self.stack if self.buffer == OURS.buffer else f"{self.stack}, {self.buffer >> 10} KiB"


OURS = Contestant("manypath")
USRSCTP = Contestant("usrsctp")
USRSCTP_DEFAULT = Contestant("usrsctp", 256 << 10)
"""usrsctp with its default buffers."""


class FailedError(Exception):
    """A failed measurement, with the reason."""


class Program:
    """A running program. The end of a ``with`` block ends it."""

    def __init__(self, name: str, host: Host, *words: str) -> None:
        self._name = f"{name} {words[0]} {words[1]}"
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `_kill` closes it
        self._process = subprocess.Popen(
            host.command(str(PROGRAMS / name), *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._output = cast("IO[bytes]", self._process.stdout)
        os.set_blocking(self._output.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._waiting = b""
        self.events: list[tuple[float, dict[str, Any]]] = []
        """Printed events with their times (`time.monotonic`)."""
        self.cpu_seconds = 0.0
        """CPU time of the program in seconds; known after its end."""

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    def wait_for(self, event: str, seconds: float) -> dict[str, Any]:
        """Wait for an event among those that are printed from this call on."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self._selector.select(left):
                break
            if (events := self._read()) is None:
                raise FailedError(f"{self._name} ended without {event}{self._last()}")
            for each in events:
                if each["event"] == "error":
                    raise FailedError(each["message"])
                if each["event"] == event:
                    return each
        raise FailedError(f"{self._name}: no {event} within {seconds:.0f} s")

    def _read(self) -> list[dict[str, Any]] | None:
        """Return the printed events, or None at the end of the output."""
        piece = self._output.read()
        if not piece:
            return None
        *lines, self._waiting = (self._waiting + piece).split(b"\n")
        events = [json.loads(line) for line in lines]
        self.events += [(time.monotonic(), each) for each in events]
        return events

    def _last(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def go_on(self) -> None:
        """Send a line to a program that waits for it."""
        stdin = cast("IO[bytes]", self._process.stdin)
        stdin.write(b"\n")
        stdin.flush()

    def memory(self) -> int:
        """Return the resident memory of the program in bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii", errors="replace")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def end(self, seconds: float) -> None:
        """Wait for the end of the program."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._selector.select(left) and self._read() is None:
                return self._reap()
        raise FailedError(f"{self._name} did not end within {seconds:.0f} s")

    def _reap(self) -> None:
        if self._process.returncode is None:
            _, status, usage = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_seconds = usage.ru_utime + usage.ru_stime

    def _kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
            self._reap()
        self._selector.close()
        self._output.close()
        cast("IO[bytes]", self._process.stdin).close()
        self._errors.close()


@dataclass(frozen=True)
class Arena:
    """Two hosts, and the common settings of the two programs of a measurement."""

    network: Network
    paths: int = 1
    udp: int | None = 9899
    """UDP port of the encapsulation; None means raw IP."""

    def start(self, contestant: Contestant, what: str, role: str, **arguments: Any) -> Program:
        """Start a program. The right host listens."""
        left, right = self.network.left, self.network.right
        own, other = (right, left) if role == "listen" else (left, right)
        words = [what, role, "--local", ",".join(own.ipv4[: self.paths])]
        words += ["--remote", ",".join(other.ipv4[: self.paths])]
        words += ["--port", str(SCTP_PORT), "--buffer", str(contestant.buffer)]
        words += ["--udp", str(self.udp)] if self.udp else ["--raw"]
        words += ["--cmt", "1"] if self.paths > 1 else []
        for name, value in arguments.items():
            words += [f"--{name}", str(value)]
        return Program(f"{contestant.stack}-speed", own, *words)


SCTP_PORT = 5000
"""The SCTP port of the first endpoint of either side."""
