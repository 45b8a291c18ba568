"""Files that are written whole or not at all: a temporary file in the same folder gets the name when it is complete.

If the disk is full, or the process is stopped, an earlier file of this name is unchanged, and no part of the new one
remains. A killed process leaves its temporary file, which the next writer in the folder removes. Logs that other
programs follow while they grow, such as events and captures, are written in place.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from manypath.locks import try_lock
from manypath.outputs import writing


@contextmanager
def replacing(field: str, target: str | os.PathLike[str], *, makes_folder: bool = False) -> Iterator[Path]:
    """Provide a temporary path for the content of an output file, which gets its name at the end of the block.

    Parameters
    ----------
    field
        Option or argument that names the file, for messages: ``"--frames"``.
    target
        The file. Devices and pipes are written directly.
    makes_folder
        Whether a missing parent folder is made.

    Raises
    ------
    OutputError
        If the file cannot be written completely. An earlier file is kept.
    """
    with writing(field, target):
        if makes_folder:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
        remove_remains(_final(Path(target)).parent)
        with replacement(target) as begun:
            yield begun


@contextmanager
def replacement(target: str | os.PathLike[str], *, is_lasting: bool = False) -> Iterator[Path]:
    """Provide a temporary path for the content of a file, which gets its name at the end of the block.

    With `is_lasting` the file and its name are on disk at the end, so that they survive a power failure.

    Raises
    ------
    OSError
        If the file cannot be written; an earlier file is kept.
    """
    if not _is_replaceable(Path(target)):
        yield Path(target)
        return
    final = _final(Path(target))
    begun, file = _begun(final.parent)
    with file:
        try:
            _take_over_rights(file, final)
            yield begun
            if is_lasting:
                os.fsync(file.fileno())
            begun.replace(final)
        except BaseException:
            begun.unlink(missing_ok=True)
            raise
    if is_lasting:
        _sync_folder(final.parent)


def remove_remains(folder: Path) -> None:
    """Remove the temporary files of writers that have ended."""
    with suppress(OSError):
        for remainder in folder.glob(".manypath.*.tmp"):
            if TEMPORARY.fullmatch(remainder.name):
                with suppress(OSError), os.fdopen(os.open(remainder, FOR_LOCKING), "rb") as file:
                    if try_lock(file):
                        remainder.unlink()


def _final(path: Path) -> Path:
    """Return the file that a symbolic link names; other paths stay as the user wrote them."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _begun(folder: Path) -> tuple[Path, IO[bytes]]:
    """Return a new temporary file, which is locked until it is closed.

    From the lock, `remove_remains` detects that the writer still runs. Without locks it removes no file.
    """
    while True:
        path = folder / f".manypath.{os.urandom(16).hex()}.tmp"
        file = path.open("xb")
        with suppress(OSError):
            # Another process may have found the file before it was locked.
            if not try_lock(file) or not _is_at(file, path):
                file.close()
                continue
        return path, file


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file still has a name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _take_over_rights(file: IO[bytes], final: Path) -> None:
    """Give a temporary file the rights and, where the system permits it, the owner of the file that it replaces."""
    try:
        state = final.stat()
    except FileNotFoundError:
        return
    with suppress(OSError):
        os.fchown(file.fileno(), state.st_uid, state.st_gid)
    with suppress(OSError):
        os.fchmod(file.fileno(), stat.S_IMODE(state.st_mode))


def _is_replaceable(path: Path) -> bool:
    """Whether a file is regular or missing, and not the name of an open file, such as ``/dev/stdout``."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
    except FileNotFoundError:
        pass
    for _ in range(LINKS):
        if DESCRIPTOR.match(str(path.absolute())):
            return False
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return True


def _sync_folder(folder: Path) -> None:
    """Flush a folder, so that a new name survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


TEMPORARY = re.compile(r"\.manypath\.[0-9a-f]{32}\.tmp")
"""Names of temporary files."""

FOR_LOCKING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW
"""How a temporary file is opened; a pipe of this name does not block."""

DESCRIPTOR = re.compile(r"/dev/(fd/|std(in|out|err)$)|/proc/[^/]+/(task/[^/]+/)?fd/")
"""Names of the open files of processes."""

LINKS = 40
"""Largest number of symbolic links of a path, as in Linux."""
