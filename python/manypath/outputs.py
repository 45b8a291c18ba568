"""Checks of output files: an output never overwrites an input or a file of another program.

A command makes one `Outputs` with its inputs, and checks every target with it before it computes anything. A checked
target is writable as far as the system can tell. `manypath.replacement` writes the files, and `writing` turns failures,
such as a full disk, into a one-line error.
"""

from __future__ import annotations

import csv
import errno
import importlib
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manypath.errors import OutputError, UserError, quoted_path, reason_of


@dataclass(frozen=True)
class Kind:
    """A kind of output file, and how a file that manypath wrote is recognised by its content."""

    name: str
    """Its name in messages, with the article."""
    is_ours: Callable[[bytes, bytes], bool]
    """Whether manypath wrote a file with these first and last bytes, at most `ENDS` each."""
    endings: tuple[str, ...] = ()
    """Allowed file name extensions, without the dot; any if empty."""


def table(*headers: Sequence[str], more: Literal["before", "after"] | None = None) -> Kind:
    """Return the kind of CSV files with one of these headers; further columns are allowed before or after (`more`)."""
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
    """Return a line of a CSV file."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(columns)
    return row.getvalue().encode()


class Outputs:
    """The output files of a command; each is checked when it is added."""

    def __init__(self, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        """`inputs` are the files that the command reads."""
        self._inputs = [Path(path) for path in inputs]
        self._named: list[tuple[str, Path]] = []
        self._folders: list[Path] = []

    def file(self, field: str, target: str | os.PathLike[str], kind: Kind, makes_folder: bool = False) -> Path:
        """Check a file that will be written, without changing anything on the disk.

        Parameters
        ----------
        field
            Option or argument that names the file, for messages: ``"--events"``.
        target
            The file. Writable devices and pipes are accepted.
        kind
            Its kind; an existing file may be replaced if it has this kind or is empty.
        makes_folder
            Whether a missing parent folder is made later.

        Raises
        ------
        UserError
            If it is an input or another output (also under another name), a folder, a file of another program, or
            not writable.
        """
        path = Path(target)
        if str(path) == "-":
            raise UserError(f"{field}: - is no file: give the name of one, because standard output has the results")
        _check_ending(field, path, kind)
        if kind is FIGURE:
            # Settings that matplotlib cannot read are refused here, too.
            importlib.import_module("manypath.drawing")
        with _probing(field, target):
            status = _status(path)
            if status is None:
                is_within = any(path.is_relative_to(folder) for folder in self._folders)
                _try_folder(path.resolve().parent, makes_folder, path.is_absolute() and not is_within)
            elif stat.S_ISDIR(status.st_mode):
                raise UserError(f"{field}: {quoted_path(target)} is a folder: name a file")
            elif stat.S_ISREG(status.st_mode):
                # A new file replaces this one when it is complete.
                _try_folder(path.resolve().parent, False, False)
            self._refuse_known(field, path, status)
            if status is not None:
                _try_file(field, path, status, kind)
        self._named.append((field, path))
        return path

    def folder(self, field: str, target: str | os.PathLike[str]) -> Path:
        """Check an output folder, which is made later if it is missing.

        Raises
        ------
        UserError
            If it is not a folder, or not writable.
        """
        path = Path(target)
        with _probing(field, target):
            status = _status(path)
            if status is not None and not stat.S_ISDIR(status.st_mode):
                raise UserError(f"{field}: {quoted_path(target)} is not a folder: name another one")
            # The parent of a named folder may be the top of the disk.
            _try_folder(path.resolve(), True, path.is_absolute() and not path.parent.exists())
        self._folders.append(path)
        return path

    def _refuse_known(self, field: str, path: Path, status: os.stat_result | None) -> None:
        """Refuse an input, or the output of another field; devices and pipes may be shared."""
        if status is not None and not stat.S_ISREG(status.st_mode):
            return
        if any(_is_same(path, known) for known in self._inputs):
            raise UserError(f"{field}: {quoted_path(path)} is an input file: choose another name")
        for other, known in self._named:
            if _is_same(path, known):
                raise UserError(f"{field}: {quoted_path(path)} is also the file of {other}: choose another name")


@contextmanager
def writing(field: str, target: str | os.PathLike[str]) -> Iterator[None]:
    """Turn system errors while a checked target is written into a one-line error.

    Raises
    ------
    OutputError
        If the target cannot be written completely.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{field}: {quoted_path(target)} cannot be written: {reason_of(error)}: make room or choose another place"
        ) from None


@contextmanager
def _probing(field: str, target: str | os.PathLike[str]) -> Iterator[None]:
    """Turn system errors while a target is checked into a one-line error."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        remedy = "make its folder first or choose" if isinstance(error, FileNotFoundError) else "choose"
        raise UserError(f"{field}: {quoted_path(target)} cannot be written: {reason}: {remedy} another place") from None


def _check_ending(field: str, path: Path, kind: Kind) -> None:
    if kind.endings and path.suffix.lstrip(".").lower() not in kind.endings:
        raise UserError(
            f"{field}: {quoted_path(path)} is no name for {kind.name}: end it with .{', .'.join(kind.endings)}"
        )


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file or folder; None if it does not exist."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _try_folder(folder: Path, makes_it: bool, keeps_top: bool) -> None:
    """Raise `OSError` if no file can be made in the folder, or in its nearest existing parent if `makes_it`.

    With `keeps_top` that parent must not be the top of the disk. There a missing folder is rather a spelling mistake,
    or a disk that is not mounted.
    """
    while makes_it and not folder.exists() and folder != folder.parent:
        folder = folder.parent
        if keeps_top and folder == folder.parent:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    check_writable(folder)


def check_writable(folder: Path) -> None:
    """Raise `OSError` if no file can be made in a folder."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder):
        pass


def _try_file(field: str, path: Path, status: os.stat_result, kind: Kind) -> None:
    """Refuse an existing file that is not writable or that another program wrote."""
    if stat.S_ISBLK(status.st_mode):
        raise UserError(f"{field}: {quoted_path(path)} is a disk, whose content would be lost: name a file")
    if not stat.S_ISREG(status.st_mode):
        # Opening a pipe would wait for its reader.
        if not os.access(path, os.W_OK):
            raise UserError(f"{field}: {quoted_path(path)} cannot be written: Permission denied: choose another place")
        return
    # Opening for appending does not change the file.
    with path.open("ab"):
        pass
    if status.st_size and not kind.is_ours(*_ends(path)):
        raise UserError(
            f"{field}: {quoted_path(path)} exists, and manypath did not write it as {kind.name}: "
            "choose another name, or remove the file first"
        )


def _ends(path: Path) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file."""
    with path.open("rb") as file:
        head = file.read(ENDS)
        file.seek(max(os.fstat(file.fileno()).st_size - ENDS, 0))
        return head, file.read(ENDS)


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names denote the same file, also through links."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def _is_capture(head: bytes, _: bytes) -> bool:
    """Whether the section header of a pcapng file names manypath as its application: [PCAPNG] section 4.1."""
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
    """Whether a drawing names manypath as its creator, as `Picture.save` writes it."""
    if head.startswith(b"\x89PNG"):
        return b"tEXtSoftware\0manypath" in head
    if head.startswith(b"%PDF"):
        return b"/Creator (manypath)" in tail
    return b"<svg" in head and b"<dc:title>manypath</dc:title>" in head


APPLICATION = 4
"""Code of the pcapng option with the application that wrote the section."""

ENDS = 1 << 16
"""Bytes at the beginning and at the end of a file that are read to recognise it."""

CAPTURE = Kind("a capture", _is_capture)
"""Packets in the pcapng format."""

EVENTS = Kind("events", lambda head, _: head.startswith(b'{"file_schema":"urn:manypath:events:'))
"""Events of a run, one JSON document a line."""

FIGURE = Kind("a figure", _is_figure, ("svg", "pdf", "png"))
"""A drawing that `Picture.save` wrote."""

PAGE = Kind("a page of a report", lambda head, _: b'<meta name="generator" content="manypath">' in head)
"""An HTML page of the report."""
