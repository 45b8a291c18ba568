"""A daemon alone, `manypath-net serve` on a host, and programs that use its sockets."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from network import Host
from wrapped import PATIENCE, PROGRAM

LIBRARY = PROGRAM.parents[1] / "lib/libmanypath_preload.so"
"""The library for programs, beside the program."""

UNPRIVILEGED = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
"""A command in front of another one, which takes away its rights: user and group 65534."""


class Served:
    """A running daemon."""

    def __init__(
        self, host: Host, folder: Path, *options: str, before: Sequence[str] = (), program: Path = PROGRAM
    ) -> None:
        self.host, self.socket = host, folder / f"socket-{host.namespace}"
        words = [*before, str(program), "serve", "--socket", str(self.socket), "--local", host.ipv4[0], *options]
        self.process = subprocess.Popen(host.command(*words), stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline() if self.process.stderr else ""
        assert line.startswith("sockets at "), line

    def start(self, *words: str, library: Path = LIBRARY) -> subprocess.Popen[str]:
        """Start a program with sockets of the daemon."""
        environment = {**os.environ, "LD_PRELOAD": str(library), "MANYPATH_SCTP_SOCKET": str(self.socket)}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.host.command(*words), env=environment, text=True, stdin=pipe, stdout=pipe, stderr=pipe
        )

    def descriptors(self) -> int:
        """Return the number of open descriptors of the daemon."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def settles(self, descriptors: int) -> None:
        """Wait until the daemon has no more descriptors than a number."""
        end = time.monotonic() + PATIENCE
        while self.descriptors() > descriptors:
            assert time.monotonic() < end, f"{self.descriptors()} descriptors instead of {descriptors}"
            time.sleep(0.02)

    def memory(self) -> int:
        """Return the resident memory of the daemon in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """Let the daemon end."""
        self.process.terminate()
        assert self.process.wait(timeout=PATIENCE) == 0

    def kill(self) -> None:
        """Kill the daemon."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


Daemons = Callable[..., Served]
"""The type of the fixture that starts daemons."""
