"""A log that a thread reads while pages show it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from manypath.explore.live.log import Log
from manypath.explore.live.source import Source, SourceEvent


class Phase(Enum):
    """The state of reading a source."""

    WAITING = "waiting for the first events"
    READING = "reading what was written before"
    LIVE = "live"
    QUIET = "no new events"
    ENDED = "the writer has ended"
    FAILED = "reading has failed"


@dataclass(frozen=True)
class State:
    """The state of a source.

    Attributes
    ----------
    phase : Phase
        What it does.
    silence : float
        Time since the last bytes, seconds.
    read, size : int
        Bytes that were read, and bytes of the file.
    rest : int
        Bytes of a last line that has no end.
    end : float
        Time of the last event, seconds.
    failure : str
        Why reading has failed; empty in other phases.
    version : int
        A number that changes with the content of the log.
    """

    phase: Phase
    silence: float
    read: int
    size: int
    rest: int
    end: float
    failure: str
    version: int


class Follower:
    """Reads a log in a thread.

    Raises
    ------
    UserError
        If the log cannot be opened.
    """

    def __init__(self, place: Path) -> None:
        self._source = Source(place)
        self._log = Log()
        self._lock = threading.Lock()
        self._next = threading.Lock()
        """Held by the thread that gets the log next."""
        self._stop = threading.Event()
        self._version = 0
        self._rest = b""
        self._is_skipping = False
        self._had_writer = False
        """Whether the bytes before were those of a writer that has ended."""
        self._over: Phase | None = None
        """`ENDED` or `FAILED`; None while the source is read."""
        self._failure = ""
        self._heard = time.monotonic()
        self._looked = 0.0
        self._thread = threading.Thread(target=self._follow, name="explore-follow", daemon=True)

    @property
    def name(self) -> str:
        """Name of the source for users."""
        return self._source.name

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Stop reading, as soon as the source has bytes or has none for a moment."""
        self._stop.set()

    @contextmanager
    def log(self) -> Iterator[Log]:
        """Hold the log, which no other thread uses meanwhile."""
        # A thread that reads one batch after the other would otherwise take the lock again before a page gets it.
        self._next.acquire()
        with self._lock:
            self._next.release()
            yield self._log

    def state(self) -> State:
        """Return what the source does."""
        silence = time.monotonic() - self._heard
        read, size = self._source.read, self._source.size()
        if self._over is not None:
            phase = self._over
        elif size - read > FAR_BEHIND:
            phase = Phase.READING
        elif not self._has_bytes():
            phase = Phase.WAITING
        elif silence < QUIET:
            phase = Phase.LIVE
        else:
            phase = Phase.QUIET
        return State(phase, silence, read, size, len(self._rest), self._log.end, self._failure, self._version)

    def _follow(self) -> None:
        try:
            self._read()
        except OSError as error:
            # The device of the file has failed, or the file has no bytes there, as some of /proc.
            self._over, self._failure = Phase.FAILED, error.strerror or str(error)

    def _read(self) -> None:
        for part in self._source.parts():
            if self._stop.is_set():
                return
            match part:
                case SourceEvent.NOTHING:
                    self._look()
                case SourceEvent.ENDED:
                    self._over, self._had_writer = Phase.ENDED, True
                case SourceEvent.RESTARTED:
                    self._hear()
                    self._rest, self._is_skipping = b"", False
                    with self.log() as log:
                        log.restart()
                        self._version += 1
                case bytes():
                    self._hear()
                    if self._had_writer:
                        # The next writer of a FIFO does not complete the last line of the one before.
                        self._rest, self._is_skipping, self._had_writer = b"", False, False
                    self._take(part)

    def _has_bytes(self) -> bool:
        """Whether there was a line, or the begin of one: a file that is no log may have no end of a line."""
        return bool(self._log.lines or self._rest)

    def _hear(self) -> None:
        self._heard, self._over = time.monotonic(), None

    def _take(self, part: bytes) -> None:
        """Read the complete lines of some bytes."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        if lines and self._is_skipping:
            # The end of a line that was too long.
            del lines[0]
            self._is_skipping = False
        if len(self._rest) > LONGEST_LINE:
            with self.log() as log:
                if not self._is_skipping:
                    log.lines += 1
                    log.refuse(self._rest, "too long")
            self._rest, self._is_skipping = b"", True
        for first in range(0, len(lines), BATCH):
            with self.log() as log:
                log.take(lines[first : first + BATCH])
                # With the lock, so that no page draws a part of the lines as this version.
                self._version += 1

    def _look(self) -> None:
        """Find out whether a file that does not grow still has a writer."""
        if self._had_writer:
            # A FIFO has reported the end of its writer. This state stays until the next writer writes.
            return
        now = time.monotonic()
        if now - self._heard > QUIET and now - self._looked > LOOK_FOR_WRITER:
            self._looked = now
            has_ended = self._has_bytes() and self._source.is_written() is False
            self._over = Phase.ENDED if has_ended else None


QUIET = 2.0
"""Time without bytes after which a source is quiet, seconds."""

LOOK_FOR_WRITER = 2.0
"""Interval at which the writer of a quiet file is looked for, seconds."""

FAR_BEHIND = 4 << 20
"""Number of unread bytes above which the phase is `READING`."""

LONGEST_LINE = 1 << 20
"""Longest line that is read, bytes."""

BATCH = 500
"""Number of lines that are read while the lock is held; a page waits for one batch at most."""
