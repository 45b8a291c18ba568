"""Folders that a process cannot write, also in tests that run as root, which ignores the rights of files."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Take the right to write from folders and what is in them, and obey the rights of files in this thread."""
    before = {path: path.stat().st_mode for folder in folders for path in (folder, *folder.rglob("*"))}
    for path, mode in before.items():
        path.chmod(mode & ~0o222)
    try:
        with _obedient():
            yield
    finally:
        for path, mode in before.items():
            if path.exists():
                path.chmod(mode)


@contextmanager
def _obedient() -> Iterator[None]:
    """Drop the capabilities with which root ignores the rights of files; threads that begin here have none, either."""
    if os.geteuid() != 0:
        yield
        return
    sets = _capabilities()
    effective = sets[0]
    sets[0] = effective & ~IGNORE_RIGHTS
    _set_capabilities(sets)
    try:
        yield
    finally:
        sets[0] = effective
        _set_capabilities(sets)


def _capabilities() -> ctypes.Array[ctypes.c_uint32]:
    """Return the sets of this thread: effective, permitted and inheritable, each with its lower and its upper half."""
    sets = (ctypes.c_uint32 * 6)()
    if LIBC.capget(HEADER, sets):
        raise OSError(ctypes.get_errno(), "capget")
    return sets


def _set_capabilities(sets: ctypes.Array[ctypes.c_uint32]) -> None:
    if LIBC.capset(HEADER, sets):
        raise OSError(ctypes.get_errno(), "capset")


LIBC = ctypes.CDLL(None, use_errno=True)

HEADER = (ctypes.c_uint32 * 2)(0x2008_0522, 0)
"""The third version of the sets; this thread."""

IGNORE_RIGHTS = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
