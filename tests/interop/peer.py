"""Peers: programs over one SCTP stack each, with the arguments and events of `peers/CONTRACT.md`."""

from __future__ import annotations

import hashlib
import json
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from network import Host

PROGRAMS = Path(__file__).parents[2] / "target" / "interop"
"""Where `peers/build` puts them."""

PATIENCE = 60.0
"""Seconds that a test waits for what happens within seconds on a machine without other work."""

ENDS = ("closed", "aborted")
"""The events that end an association."""


class TooLateError(AssertionError):
    """A peer that runs did not say something in time."""


class Peer:
    """A peer that runs."""

    def __init__(self, stack: str, host: Host, words: list[str]) -> None:
        self.stack, self.host = stack, host
        self.events: list[dict[str, Any]] = []
        """What it said until now, as far as a test has looked."""
        line = host.command(str(PROGRAMS / stack), *words)
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.has_ended = False
        """Whether a test has seen that its association ended."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in cast("IO[str]", self._process.stdout):
            self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, event: str, seconds: float = PATIENCE, **fields: Any) -> dict[str, Any]:
        """Wait for an event with these fields, from the first one that no test has looked at."""
        until = time.monotonic() + seconds
        while (found := self._next(until - time.monotonic(), event)) is not None:
            if found["event"] == event and fields.items() <= found.items():
                return found
        raise AssertionError(f"{self} ended without {event} {fields}")

    def _next(self, seconds: float, sought: str) -> dict[str, Any] | None:
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise TooLateError(f"{self} did not say {sought} in time") from None
        if line is None:
            return None
        self.events.append(json.loads(line))
        return self.events[-1]

    def end(self, seconds: float = PATIENCE) -> None:
        """Wait until its association has ended as it should. It answers its peer further until it has to `leave`."""
        until = time.monotonic() + seconds
        while (event := self._next(until - time.monotonic(), "its end")) is not None and event["event"] not in ENDS:
            assert event["event"] != "error", f"{self} failed"
        assert event is not None, f"{self} ended without an event"
        self.has_ended = True

    def leave(self) -> None:
        """End it, and check that nothing failed after the end of its association."""
        cast("IO[str]", self._process.stdin).close()
        assert self._process.wait(timeout=PATIENCE) == 0, f"{self} failed after its end"

    def said(self, event: str) -> list[dict[str, Any]]:
        """The events of a name among those that were looked at."""
        return [each for each in self.events if each["event"] == event]

    def kill(self) -> None:
        """Kill it at once, so that it sends nothing to its peer."""
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def account(self) -> str:
        """What it said from its beginning, once it has ended."""
        while not self._lines.empty():
            self._next(0, "anything")
        errors = cast("IO[str]", self._process.stderr).read().strip()
        said = "\n".join(f"  {event}" for event in self.events)
        return f"{self} ended with code {self._process.returncode}; {errors}\n{said}"

    def __str__(self) -> str:
        return f"the peer over {self.stack}"

    def received(self, total: int, size: int, streams: int = 1) -> dict[str, Any]:
        """Check that it received exactly what its peer sent, and return the event."""
        (event,) = self.said("received")
        expected = [
            {"stream": stream, "bytes": length, "sha256": hashlib.sha256(content(stream, length)).hexdigest()}
            for stream, length in enumerate(shares(total, size, streams))
            if length
        ]
        assert event["bytes"] == total, f"{self}: {event}"
        assert event["duplicates"] == 0, f"{self}: {event}"
        assert event["streams"] == expected, f"{self}: {event}"
        return event


def content(stream: int, length: int) -> bytes:
    """What a stream carries."""
    places = np.arange(0, length, 8, dtype=np.uint64) + np.uint64(stream << 48)
    return (places * np.uint64(0x9E37_79B9_7F4A_7C15)).astype(">u8").tobytes()


def shares(total: int, size: int, streams: int) -> list[int]:
    """How many bytes go on each stream, if messages of a size go on all streams in turn."""
    messages = [size] * (total // size) + ([total % size] if total % size else [])
    return [sum(messages[stream::streams]) for stream in range(streams)]
