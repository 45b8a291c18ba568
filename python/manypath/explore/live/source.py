"""Sources of the lines of a log: a file that may grow, a pipe, standard input, or a Unix socket."""

from __future__ import annotations

import os
import select
import socket
import stat
import sys
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path

from manypath.errors import UserError


class SourceEvent(Enum):
    """Events of a source besides bytes."""

    NOTHING = auto()
    """No bytes arrived for `LOOK` seconds."""
    RESTARTED = auto()
    """The file was replaced or truncated; the next bytes are those of a new file."""
    ENDED = auto()
    """The writer has closed its end."""


class Source:
    """An open log.

    Parameters
    ----------
    place
        A file, a FIFO or a Unix socket; ``-`` is standard input.

    Raises
    ------
    UserError
        If it cannot be opened.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        """The file, pipe or socket."""
        self.read = 0
        """Bytes that were read from the current file."""
        try:
            self._open()
        except OSError as error:
            why = error.strerror or str(error)
            raise UserError(
                f"--attach: {place} cannot be read ({why}): give a file of events, a FIFO, a Unix socket or -"
            ) from None

    @property
    def name(self) -> str:
        """Name of the source for users."""
        return "standard input" if str(self.place) == "-" else str(self.place)

    def size(self) -> int:
        """Return the size of the file in bytes; for other sources, the number of bytes that were read."""
        return os.fstat(self._fd).st_size if self._is_file else self.read

    def parts(self) -> Iterator[bytes | SourceEvent]:
        """Yield bytes and events until the source is closed. A pipe continues if another writer opens it."""
        return self._file_parts() if self._is_file else self._stream_parts()

    def is_written(self) -> bool | None:
        """Return whether a program has the file open for writing; None if the system does not show this."""
        return is_written(self._fd) if self._is_file else None

    def _open(self) -> None:
        if str(self.place) == "-":
            if sys.stdin is None:
                raise OSError(0, "it is closed")
            self._fd = os.dup(sys.stdin.fileno())
        else:
            mode = self.place.stat().st_mode
            if stat.S_ISSOCK(mode):
                with socket.socket(socket.AF_UNIX) as opened:
                    opened.connect(str(self.place))
                    self._fd = os.dup(opened.fileno())
            else:
                # Without O_NONBLOCK, a FIFO is opened only when it has a writer.
                self._fd = os.open(self.place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        kind = os.fstat(self._fd).st_mode
        # Standard input may be a terminal.
        is_device = (stat.S_ISCHR(kind) or stat.S_ISBLK(kind)) and str(self.place) != "-"
        if is_device or stat.S_ISDIR(kind):
            os.close(self._fd)
            raise OSError(0, "it is a device" if is_device else "it is a folder")
        self._is_file = stat.S_ISREG(kind)
        self._is_fifo = stat.S_ISFIFO(kind) and str(self.place) != "-"

    def _stream_parts(self) -> Iterator[bytes | SourceEvent]:
        has_ended = False
        while True:
            ready, _, _ = select.select([self._fd], [], [], LOOK)
            part = b""
            if ready:
                try:
                    part = os.read(self._fd, PART)
                except BlockingIOError:
                    ready = []
                except ConnectionError:
                    part = b""
            if part:
                has_ended = False
                self.read += len(part)
                yield part
            elif not ready:
                yield SourceEvent.NOTHING
            elif not self._is_fifo:
                yield SourceEvent.ENDED
                return
            else:
                # A FIFO without a writer is always ready; before the first writer nothing has ended.
                yield SourceEvent.ENDED if self.read and not has_ended else SourceEvent.NOTHING
                has_ended = True
                select.select([], [], [], LOOK)

    def _file_parts(self) -> Iterator[bytes | SourceEvent]:
        last = b""
        while True:
            if self._was_rewritten(last):
                os.lseek(self._fd, 0, os.SEEK_SET)
                self.read, last = 0, b""
                yield SourceEvent.RESTARTED
            part = os.read(self._fd, PART)
            if part:
                self.read += len(part)
                last = (last + part)[-REMEMBERED:]
                yield part
            elif self._was_replaced():
                self.read, last = 0, b""
                yield SourceEvent.RESTARTED
            else:
                yield SourceEvent.NOTHING
                select.select([], [], [], LOOK)

    def _was_rewritten(self, last: bytes) -> bool:
        """Whether the bytes before the current position differ from those that were read."""
        return os.pread(self._fd, len(last), self.read - len(last)) != last

    def _was_replaced(self) -> bool:
        """Open the file that has the name of this one, if it is another file; return whether it is."""
        if str(self.place) == "-":
            return False
        try:
            own, named = os.fstat(self._fd), self.place.stat()
            if (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino) or not stat.S_ISREG(named.st_mode):
                return False
            opened = os.open(self.place, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            # The old file was moved away and the new one does not exist yet.
            return False
        os.dup2(opened, self._fd)
        os.close(opened)
        return True


def is_written(fd: int) -> bool | None:
    """Return whether a process has the file of a descriptor open for writing; None if the system does not show this.

    Linux lists the open files of a process to its user and to root.
    """
    own = os.fstat(fd)
    is_complete = True
    try:
        processes = [entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    except OSError:
        return None
    for process in processes:
        try:
            opened = list((process / "fd").iterdir())
        except PermissionError:
            is_complete = False
            continue
        except OSError:
            # The process has ended meanwhile.
            continue
        if any(_may_write(process, each, own) for each in opened):
            return True
    return False if is_complete else None


def _may_write(process: Path, opened: Path, own: os.stat_result) -> bool:
    """Whether a descriptor of a process is the file `own`, opened for writing."""
    try:
        found = opened.stat()
        if (found.st_dev, found.st_ino) != (own.st_dev, own.st_ino):
            return False
        lines = (process / "fdinfo" / opened.name).read_text().splitlines()
    except OSError:
        return False
    flags = next((int(line.split()[1], 8) for line in lines if line.startswith("flags:")), 0)
    return flags & os.O_ACCMODE != os.O_RDONLY


PART = 1 << 18
"""Largest number of bytes that are read at once."""

LOOK = 0.1
"""Interval at which a source without new bytes is checked, seconds."""

REMEMBERED = 64
"""Number of bytes before the current position that are compared, so that a rewritten file is detected."""
