"""Peers: programs that each use one SCTP stack, with the arguments and events of `peers/CONTRACT.md`."""

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
from network import PATIENCE, Host

PROGRAMS = Path(__file__).parents[2] / "target" / "interop"
"""The folder into which `peers/build` writes the peers."""

ENDS = ("closed", "aborted")
"""The events that end an association."""


class TooLateError(AssertionError):
    """A running peer did not print an expected event in time."""


class Peer:
    """A running peer."""

    def __init__(self, stack: str, host: Host, words: list[str]) -> None:
        self.stack, self.host = stack, host
        self.events: list[dict[str, Any]] = []
        """The printed events that a test has read."""
        line = host.command(str(PROGRAMS / stack), *words)
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.has_ended = False
        """Whether a test has read the event that ends the association."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in cast("IO[str]", self._process.stdout):
            self._lines.put(line)
        self._lines.put(None)

    def wait_for(self, event: str, seconds: float = PATIENCE, **fields: Any) -> dict[str, Any]:
        """Wait for an event with these fields, beginning with the first unread event."""
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
        """Wait until the association has ended without an error. The peer still answers packets until `leave`."""
        until = time.monotonic() + seconds
        while (event := self._next(until - time.monotonic(), "its end")) is not None and event["event"] not in ENDS:
            assert event["event"] != "error", f"{self} failed: {event['message']}"
        assert event is not None, f"{self} ended without an event"
        self.has_ended = True

    def leave(self) -> None:
        """End the peer, and check that it failed at no time after the end of its association."""
        cast("IO[str]", self._process.stdin).close()
        assert self._process.wait(timeout=PATIENCE) == 0, f"{self} failed after its end"

    def wait_for_path(self, address: str, state: str) -> None:
        """Wait until a path has a state. The last event of the path counts, also if another wait has read it."""
        until = time.monotonic() + PATIENCE
        while self._state(address) != state:
            self.wait_for("path", until - time.monotonic(), address=address)

    def _state(self, address: str) -> str | None:
        """Return the state of a path in the last event that a test has read."""
        states = [each["state"] for each in self.printed("path") if each["address"] == address]
        return states[-1] if states else None

    def printed(self, event: str) -> list[dict[str, Any]]:
        """Return the read events of a name."""
        return [each for each in self.events if each["event"] == event]

    def kill(self) -> None:
        """Kill the peer with SIGKILL, so that it sends no packet to its peer."""
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def account(self) -> str:
        """Return the output of the peer after its end."""
        while not self._lines.empty():
            self._next(0, "anything")
        errors = cast("IO[str]", self._process.stderr).read().strip()
        printed = "\n".join(f"  {event}" for event in self.events)
        return f"{self} ended with code {self._process.returncode}; {errors}\n{printed}"

    def __str__(self) -> str:
        return f"the peer over {self.stack}"

    def received(self, total: int, size: int, streams: int = 1) -> dict[str, Any]:
        """Check that the peer received exactly the sent data, and return its event."""
        (event,) = self.printed("received")
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
    """Return the payload of a stream."""
    places = np.arange(0, length, 8, dtype=np.uint64) + np.uint64(stream << 48)
    return (places * np.uint64(0x9E37_79B9_7F4A_7C15)).astype(">u8").tobytes()


def shares(total: int, size: int, streams: int) -> list[int]:
    """Return the bytes on each stream if messages of a size are sent round robin over the streams."""
    messages = [size] * (total // size) + ([total % size] if total % size else [])
    return [sum(messages[stream::streams]) for stream in range(streams)]
