"""Files that we write: checked before work begins, and never over an input or over a file of another program.

A command makes one `Outputs` of the files that it reads, and asks it about every target before it computes anything.
What `Outputs` lets pass can be written, as far as the system tells beforehand; what fails later (a full disk) goes
through `writing`, which says it in one line.
"""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manypath.errors import OutputError, UserError


@dataclass(frozen=True)
class Kind:
    """A kind of file that we write, and how one of ours is recognised by its content."""

    name: str
    """What messages call it, with its article."""
    is_ours: Callable[[bytes, bytes], bool]
    """Whether we wrote a file that begins and ends with these bytes, `ENDS` of each at most."""
    endings: tuple[str, ...] = ()
    """Endings that its name may have, without the dot; any if there is none."""


def table(*headers: Sequence[str], more: Literal["before", "after"] | None = None) -> Kind:
    """A CSV file whose header is one of these; `more` says on which side it may have other columns."""
    known = [_row(header) for header in headers]

    def is_ours(head: bytes, _: bytes) -> bool:
        line = head.partition(b"\n")[0].rstrip(b"\r")
        return any(
            line == header
            or (more == "before" and line.endswith(b"," + header))
            or (more == "after" and line.startswith(header + b","))
            for header in known
        )

    return Kind("a table of these columns", is_ours)


def _row(columns: Sequence[str]) -> bytes:
    """A line of a CSV file."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(columns)
    return row.getvalue().encode()


class Outputs:
    """The files that a command is about to write, each checked when it is named."""

    def __init__(self, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        """`inputs` are the files that the command reads."""
        self._inputs = [Path(path) for path in inputs]
        self._named: list[tuple[str, Path]] = []

    def file(self, field: str, target: str | os.PathLike[str], kind: Kind, makes_folder: bool = False) -> Path:
        """Check a file that will be written, without changing anything on the disk.

        Parameters
        ----------
        field
            Who names it, for messages: ``"--events"``.
        target
            The file. A device or a pipe that can be written is fine.
        kind
            What it will be; an earlier file of this kind may be replaced, and so may an empty one.
        makes_folder
            Whether the folder that it is in is made if it is missing.

        Raises
        ------
        UserError
            If it is an input or another output by whatever name, a folder, a file that another program wrote, or cannot
            be written.
        """
        path = Path(target)
        _check_ending(field, path, kind)
        with _probing(field, target):
            status = _status(path)
            if status is None:
                _try_folder(path.resolve().parent, makes_folder)
            elif stat.S_ISDIR(status.st_mode):
                raise UserError(f'{field}: "{target}" is a folder: name a file')
            self._refuse_known(field, path, status)
            if status is not None:
                _try_file(field, path, status, kind)
        self._named.append((field, path))
        return path

    def folder(self, field: str, target: str | os.PathLike[str]) -> Path:
        """Check a folder that will be made if it is missing, and written to.

        Raises
        ------
        UserError
            If it is no folder, or cannot be written.
        """
        path = Path(target)
        with _probing(field, target):
            status = _status(path)
            if status is not None and not stat.S_ISDIR(status.st_mode):
                raise UserError(f'{field}: "{target}" is no folder: name another one')
            _try_folder(path.resolve(), makes_it=True)
        return path

    def _refuse_known(self, field: str, path: Path, status: os.stat_result | None) -> None:
        """Refuse a file that is read, or that another field writes; devices and pipes are shared freely."""
        if status is not None and not stat.S_ISREG(status.st_mode):
            return
        if any(_is_same(path, known) for known in self._inputs):
            raise UserError(f'{field}: "{path}" is a file that is read: choose another name')
        for other, known in self._named:
            if _is_same(path, known):
                raise UserError(f'{field}: "{path}" is the file of {other}, too: choose another name')


@contextmanager
def writing(field: str, target: str | os.PathLike[str]) -> Iterator[None]:
    """Say in one line what the system refuses while a checked target is written.

    Raises
    ------
    OutputError
        If it cannot be written to its end.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(
            f'{field}: "{target}" cannot be written: {error.strerror or error}: make room or choose another place'
        ) from None


@contextmanager
def _probing(field: str, target: str | os.PathLike[str]) -> Iterator[None]:
    """Say in one line why a target cannot be written."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        remedy = "make its folder first or choose" if isinstance(error, FileNotFoundError) else "choose"
        raise UserError(f'{field}: "{target}" cannot be written: {reason}: {remedy} another place') from None


def _check_ending(field: str, path: Path, kind: Kind) -> None:
    if kind.endings and path.suffix.lstrip(".").lower() not in kind.endings:
        raise UserError(f'{field}: "{path}" is no name of {kind.name}: end it with .{", .".join(kind.endings)}')


def _status(path: Path) -> os.stat_result | None:
    """What the system knows of a file or folder; nothing if there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _try_folder(folder: Path, makes_it: bool) -> None:
    """Raise `OSError` unless a file can be made in the folder; or in the one in which it would be made."""
    while makes_it and not folder.exists() and folder != folder.parent:
        folder = folder.parent
    import tempfile

    with tempfile.TemporaryFile(dir=folder):
        pass


def _try_file(field: str, path: Path, status: os.stat_result, kind: Kind) -> None:
    """Refuse a file that is there and cannot be written, or that another program wrote."""
    if not stat.S_ISREG(status.st_mode):
        # Opening a pipe would wait for its reader.
        if not os.access(path, os.W_OK):
            raise UserError(f'{field}: "{path}" cannot be written: Permission denied: choose another place')
        return
    # Appending nothing leaves the file as it is.
    with path.open("ab"):
        pass
    if status.st_size and not kind.is_ours(*_ends(path)):
        raise UserError(
            f'{field}: "{path}" is there, and manypath did not write it as {kind.name}: '
            "choose another name, or remove the file first"
        )


def _ends(path: Path) -> tuple[bytes, bytes]:
    """The first and the last bytes of a file."""
    with path.open("rb") as file:
        head = file.read(ENDS)
        file.seek(max(os.fstat(file.fileno()).st_size - ENDS, 0))
        return head, file.read(ENDS)


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names are those of one file, by links as well."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def _is_capture(head: bytes, _: bytes) -> bool:
    """Whether the section header of a pcapng file names us as its application: [PCAPNG] section 4.1."""
    if head[:4] != b"\x0a\x0d\x0d\x0a" or head[8:12] != b"\x4d\x3c\x2b\x1a":
        return False
    place, end = 24, int.from_bytes(head[4:8], "little") - 4
    while place + 4 <= min(end, len(head)):
        code, length = (int.from_bytes(head[place + at : place + at + 2], "little") for at in (0, 2))
        if code == APPLICATION:
            return head[place + 4 : place + 4 + length].startswith(b"manypath ")
        place += 4 + length + -length % 4
    return False


def _is_figure(head: bytes, tail: bytes) -> bool:
    """Whether a drawing names us as its creator, as `Picture.save` writes it."""
    if head.startswith(b"\x89PNG"):
        return b"tEXtSoftware\0manypath" in head
    if head.startswith(b"%PDF"):
        return b"/Creator (manypath)" in tail
    return b"<svg" in head and b"<dc:title>manypath</dc:title>" in head


APPLICATION = 4
"""Code of the option in which a section header of pcapng names what wrote it."""

ENDS = 1 << 16
"""Bytes of the beginning and of the end by which a file is recognised."""

CAPTURE = Kind("a capture", _is_capture)
"""Packets, as pcapng."""

EVENTS = Kind("events", lambda head, _: head.startswith(b'{"file_schema":"urn:manypath:events:'))
"""Events of a run, a JSON document a line."""

FIGURE = Kind("a figure", _is_figure, ("svg", "pdf", "png"))
"""A drawing that `Picture.save` wrote."""

PAGE = Kind("a page of a report", lambda head, _: b'<meta name="generator" content="manypath">' in head)
"""An HTML page of the report."""
