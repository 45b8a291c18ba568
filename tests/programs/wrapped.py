"""Programs under `manypath-net run` on a host."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from network import Host

PROGRAM = Path(__file__).parents[2] / ".venv/bin/manypath-net"
"""The program, which `make net` builds beside its library."""

PATIENCE = 300.0
"""Seconds that a test waits for an event. It bounds failures only."""


class Wrapped:
    """A running program. Its standard input is a pipe, which stays open until the end."""

    def __init__(
        self,
        host: Host,
        mode: str,
        paths: int,
        *words: str,
        feed: Path | None = None,
        into: Path,
        options: Sequence[str] = (),
        ipv6: bool = False,
    ) -> None:
        local = ["--local", ",".join((host.ipv6 if ipv6 else host.ipv4)[:paths])]
        raw = ["--raw"] if mode == "raw" else []
        line = host.command(str(PROGRAM), "run", *raw, *local, *options, "--", *words)
        self.words, self.into = words, into
        self.errors = into.with_suffix(".errors")
        with into.open("wb") as out, self.errors.open("wb") as errors:
            source = feed.open("rb") if feed else subprocess.PIPE
            self.process = subprocess.Popen(line, stdin=source, stdout=out, stderr=errors, start_new_session=True)
        if feed:
            source.close()  # pyright: ignore[reportAttributeAccessIssue]

    def types(self, text: str) -> None:
        """Write to the standard input of the program."""
        self.feeds(text.encode())

    def feeds(self, data: bytes) -> None:
        """Write data to the standard input of the program."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def types_no_more(self) -> None:
        """End the standard input of the program."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def until(self, text: str) -> None:
        """Wait until the program has printed a text."""
        end = time.monotonic() + PATIENCE
        while True:
            # It may print the text and end before this process looks again
            ended = self.process.poll() is not None
            if text in self.said():
                return
            assert not ended, f"{self.words} ended: {self.said()}"
            assert time.monotonic() < end, f"{self.words} did not print {text!r}: {self.said()}"
            time.sleep(0.02)

    def until_bytes(self, count: int) -> None:
        """Wait until standard output has a number of bytes."""
        end = time.monotonic() + PATIENCE
        while self.into.stat().st_size < count:
            ended = self.process.poll() is not None
            assert not ended or self.into.stat().st_size >= count, f"{self.words} ended: {self.said()}"
            assert time.monotonic() < end, f"{self.words}: {self.into.stat().st_size} bytes: {self.said()}"
            time.sleep(0.01)

    def said(self) -> str:
        """Return the text on standard output and standard error."""
        return self.into.read_text(errors="replace") + self.errors.read_text(errors="replace")

    def ends_well(self) -> str:
        """Wait for the end, which must have exit code 0, and return standard output."""
        code = self.process.wait(timeout=PATIENCE)
        assert code == 0, f"{self.words}: {code}: {self.said()}"
        return self.into.read_text(errors="replace")

    def kill(self) -> None:
        """Kill the program and its wrapper."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
