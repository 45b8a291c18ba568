"""`manypath-net` on the hosts of a network: transfers of files, and the output of both sides."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from capture import ALWAYS, NR_SACK, SACK, decode, examine, source_of
from network import PATIENCE, Host
from stage import UDP4, Carrier

from manypath.programs import NET, program


class Ended(NamedTuple):
    """The result of a program."""

    code: int
    """The exit code."""
    out: str
    """Standard output."""
    errors: list[str]
    """The lines on standard error, without the first line of a receiver, and without those about silent paths."""


class Program:
    """A running program on a host. Tests must `kill` it at the end."""

    def __init__(self, host: Host, *words: str) -> None:
        self.words, self.host = words, host
        line = host.command(program(NET), *words)
        self.process = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._out: list[str] = []
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=_read, args=(stream, lines), daemon=True)
            for stream, lines in ((self.process.stdout, self._out), (self.process.stderr, self._errors))
        ]
        for reader in self._readers:
            reader.start()

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until a line of standard output or standard error contains a text."""
        self.wait_until(lambda: any(text in line for line in self._out + self._errors), f'say "{text}"', seconds)

    def wait_until(self, done: Any, what: str, seconds: float = PATIENCE) -> None:
        """Wait until a condition holds. Fail if the program ends before."""
        until = time.monotonic() + seconds
        while not done():
            ended = self.process.poll() is not None
            assert not ended or done(), f"{self} ended and did not {what}: {self._errors}"
            assert time.monotonic() < until, f"{self} did not {what} within {seconds} s: {self._out + self._errors}"
            time.sleep(0.01)

    def lines(self) -> list[str]:
        """Return the lines on standard output so far."""
        return list(self._out)

    def end(self, seconds: float = PATIENCE) -> Ended:
        """Wait for the end of the program."""
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self} did not end within {seconds} s: {self._out + self._errors}") from None
        for reader in self._readers:
            reader.join()
        errors = [line.rstrip("\n") for line in self._errors if not line.startswith(("waiting on ", "path "))]
        return Ended(code, "".join(self._out), errors)

    def ends_well(self, seconds: float = PATIENCE) -> str:
        """Wait for an end without an error, and return standard output."""
        result = self.end(seconds)
        assert result.code == 0, f"{self}: {result}"
        return result.out

    def fails(self, *texts: str, seconds: float = PATIENCE) -> str:
        """Wait for an end with exit code 1 and one error line that has one of these texts; return this line."""
        result = self.end(seconds)
        assert result.code == 1, f"{self}: {result}"
        assert len(result.errors) == 1, f"{self}: {result}"
        assert result.errors[0].startswith("error: "), f"{self}: {result}"
        assert any(text in result.errors[0] for text in texts), f"{self}: {result}"
        return result.errors[0]

    def told_of_paths(self) -> list[str]:
        """Return the lines about silent paths so far."""
        return [line.rstrip("\n") for line in self._errors if line.startswith("path ")]

    def kill(self) -> None:
        """Kill the program with SIGKILL."""
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()

    def __str__(self) -> str:
        return f"manypath-net {self.words[0]}"


class Transfers:
    """Transfers of files from the left host to the right one. At the end of a test all started programs are killed."""

    def __init__(self, sender: Host, receiver: Host, folder: Path, carrier: Carrier = UDP4) -> None:
        self.sender, self.receiver, self.carrier = sender, receiver, carrier
        self.into = folder / "into"
        self.into.mkdir(exist_ok=True)
        self._folder = folder
        self._running: list[Program] = []
        self._captures: dict[Program, Path] = {}

    def __enter__(self) -> Transfers:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._running:
            each.kill()

    def start(self, host: Host, *words: str) -> Program:
        """Start the program on a host."""
        self._running.append(Program(host, *words))
        return self._running[-1]

    def _start(self, host: Host, *words: str, captured: bool) -> Program:
        if not captured:
            return self.start(host, *words)
        file = self._folder / f"{len(self._captures)}.pcapng"
        program = self.start(host, *words, "--pcapng", str(file))
        self._captures[program] = file
        return program

    def examine(self, *programs: Program, chunks: frozenset[int] | set[int] = frozenset()) -> Counter[int]:
        """Check every sent packet of ended programs, and return the number of chunks of each type.

        Received packets are not checked, because links may have damaged them.

        Parameters
        ----------
        programs
            Programs that `receive` or `send` started with ``captured``, and that were not killed.
        chunks
            Allowed types of chunks in addition to `USED`.
        """
        packets = []
        for each in programs:
            own = self.carrier.addresses(each.host)
            sent = [packet for packet in decode([self._captures[each]], self.carrier.udp) if source_of(packet) in own]
            assert sent, f"{each} captured no packet of its own"
            packets += sent
        return examine(packets, USED | chunks)

    def file(self, length: int, name: str = "file") -> Path:
        """Return a file of pseudorandom bytes, which depend only on the length."""
        path = self._folder / name
        path.write_bytes(np.random.default_rng(length).bytes(length))
        return path

    def receive(self, *words: str, captured: bool = False) -> Program:
        """Start a receiver, and return it when it is listening.

        Parameters
        ----------
        captured
            Whether the program writes a capture for `examine`.
        """
        bind = ",".join(self.carrier.addresses(self.receiver))
        fixed = ["--bind", bind, *self._raw(), "--into", str(self.into)]
        receiver = self._start(self.receiver, "receive", *fixed, *words, captured=captured)
        receiver.wait_for("waiting on ")
        return receiver

    def send(self, file: Path, *words: str, captured: bool = False) -> Program:
        """Start a sender; see `receive`."""
        return self._start(self.sender, "send", str(file), *self.ends(), *words, captured=captured)

    def path(self, number: int) -> str:
        """Return a path as the sender names it."""
        return " -> ".join(self.carrier.addresses(host)[number] for host in (self.sender, self.receiver))

    def ends(self) -> list[str]:
        """Return the addresses of both sides as arguments of `send` and `perf`."""
        bind, to = (",".join(self.carrier.addresses(host)) for host in (self.sender, self.receiver))
        return ["--bind", bind, "--to", to, *self._raw()]

    def _raw(self) -> list[str]:
        return [] if self.carrier.udp else ["--raw"]

    def begun(self, receiver: Program, length: int = 500_000, seconds: float = PATIENCE) -> None:
        """Wait until the receiver has written a number of bytes of a file."""
        receiver.wait_until(
            lambda: any(part.stat().st_size >= length for part in self.into.glob(".*.part")), "begin", seconds
        )

    def arrived(self, file: Path) -> None:
        """Check that the received file equals the sent one, and that there are no partial files."""
        assert (self.into / file.name).read_bytes() == file.read_bytes(), "the file is not what was sent"
        assert not list(self.into.glob(".*.part"))

    def nothing_arrived(self) -> None:
        """Check that there is no received file."""
        assert not list(self.into.iterdir())


USED = ALWAYS - {SACK} | {NR_SACK}
"""Allowed chunks between two of these programs. Both support NR-SACKs, which replace SACKs."""


def document(text: str) -> dict[str, Any]:
    """Return the parsed output of `perf --json`."""
    return cast("dict[str, Any]", json.loads(text))


def _read(stream: IO[str] | None, lines: list[str]) -> None:
    for line in cast("IO[str]", stream):
        lines.append(line)  # noqa: PERF402 - a test reads the list meanwhile
