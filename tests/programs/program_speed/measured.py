"""The measurements: iperf3 and `manypath net perf` with the same ends, iperf3 over TCP, and connections per second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

from network import Host, Network, wired
from speed.program import FailedError
from wrapped import PROGRAM

IPERF3, PERF, TCP = "iperf3", "perf", "iperf3 over TCP"
"""The contestants of a transfer: iperf3 with our sockets, `manypath net perf`, and iperf3 over TCP of the kernel."""

SIZE = 65_536
"""Bytes of a message: the default of iperf3 for SCTP."""

RAW = {"UDP": [], "raw IP": ["--raw"]}
"""Options of `manypath-net` for the carrier of SCTP packets."""


class Program:
    """A running program with its output and its CPU time."""

    def __init__(
        self, words: Sequence[str], process: subprocess.Popen[bytes], out: IO[bytes], errors: IO[bytes]
    ) -> None:
        self.words = words
        self._process = process
        self._out = out
        self._errors = errors
        self._cpu_seconds: float | None = None

    def out(self) -> str:
        """Return standard output."""
        return os.pread(self._out.fileno(), 1 << 26, 0).decode(errors="replace")

    def _said(self) -> str:
        return self.out() + os.pread(self._errors.fileno(), 1 << 20, 0).decode(errors="replace")

    def until(self, text: str) -> None:
        """Wait until the program has printed a text."""
        end = time.monotonic() + PATIENCE
        while text not in self._said():
            if time.monotonic() > end or self._process.poll() is not None:
                raise FailedError(f"{self.words} did not print {text!r}: {self._said()}")
            time.sleep(0.01)

    def ends(self, seconds: float) -> float:
        """Wait for the end, and return the CPU seconds of the program and its children."""
        end = time.monotonic() + seconds + PATIENCE
        while not self._reap(os.WNOHANG):
            if time.monotonic() > end:
                raise FailedError(f"{self.words} does not end: {self._said()}")
            time.sleep(0.01)
        if self._process.returncode != 0:
            raise FailedError(f"{self.words} failed: {self._said()}")
        assert self._cpu_seconds is not None
        return self._cpu_seconds

    def _reap(self, options: int) -> bool:
        if self._process.returncode is None:
            found, status, usage = os.wait4(self._process.pid, options)
            if found == 0:
                return False
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._cpu_seconds = usage.ru_utime + usage.ru_stime
        return True

    def kill(self) -> None:
        """Kill the program if it runs."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._reap(0)


@contextmanager
def _started(host: Host, *words: str) -> Iterator[Program]:
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            host.command(*words), stdin=subprocess.PIPE, stdout=out, stderr=errors, start_new_session=True
        ) as process,
    ):
        program = Program(words, process, out, errors)
        try:
            yield program
        finally:
            program.kill()


def _run(carrier: str, host: Host) -> list[str]:
    """Return the command in front of a program that gives it our sockets."""
    return [str(PROGRAM), "run", *RAW[carrier], "--local", host.ipv4[0], "--"]


def transfer(carrier: str, reverse: bool, who: str, seconds: float) -> dict[str, Any]:
    """Send for some seconds. Return goodput in Mbit/s, and CPU seconds of both ends per GB (10^9 bytes)."""
    with wired(1, offload=True) as network:
        listen, text, connect = _words(network, carrier, who, seconds)
        connect += ["--reverse"] if reverse else []
        with _started(network.right, *listen) as server:
            server.until(text)
            with _started(network.left, *connect) as client:
                cpu = client.ends(seconds) + server.ends(0)
                received = json.loads(client.out())["end"]["sum_received"]
    if received["bytes"] == 0:
        raise FailedError("nothing arrived")
    return {
        "goodput": received["bits_per_second"] / 1e6,
        "cpu_per_gb": cpu / (received["bytes"] * 1e-9),
        "bytes": received["bytes"],
        "cpu_seconds": cpu,
    }


def _words(network: Network, carrier: str, who: str, seconds: float) -> tuple[list[str], str, list[str]]:
    """Return the command of the server, what it prints when it listens, and the command of the client."""
    left, right = network.left.ipv4[0], network.right.ipv4[0]
    length = f"{seconds:g}"
    if who == PERF:
        # The daemon of programs has one thread, too
        common = [str(PROGRAM), "perf", "--one-thread", *RAW[carrier], "--bind"]
        connect = [*common, left, "--to", right, "--time", length, "--size", str(SIZE), "--json"]
        return [*common, right, "--listen", "--once", "--json"], "waiting on", connect
    listen = ["iperf3", "-s", "-1", "--forceflush"]
    connect = ["iperf3", "-c", right, "-t", length, "--json"]
    if who == IPERF3:
        listen = _run(carrier, network.right) + listen
        connect = [*_run(carrier, network.left), *connect, "--sctp", "-l", str(SIZE)]
    return listen, "Server listening", connect


@cache
def _built(folder: Path) -> str:
    """Build the program that opens and accepts connections, and return its path."""
    program = str(folder / "connections")
    source = str(Path(__file__).with_name("connections.c"))
    words = ["cc", "-O2", "-Wall", "-Werror", source, "-o", program]
    subprocess.run(words, check=True)
    return program


def connections(carrier: str, folder: Path, seconds: float) -> dict[str, Any]:
    """Open connections one after the other. Return how many per second. The carrier may be ``TCP``."""
    program = _built(folder)
    protocol = "tcp" if carrier == "TCP" else "sctp"
    with wired(1, offload=True) as network:
        commands = []
        for host, role in ((network.right, "listen"), (network.left, "connect")):
            words = [program, role, protocol, network.right.ipv4[0], f"{seconds:g}"]
            commands.append(words if carrier == "TCP" else _run(carrier, host) + words)
        with _started(network.right, *commands[0]) as server:
            server.until("listening")
            with _started(network.left, *commands[1]) as client:
                client.ends(seconds)
                return {"rate": float(client.out())}


PATIENCE = 30.0
"""Seconds that a program has to start and to end."""
