"""Locks on files; the kernel releases them when the holder ends or is killed."""

from __future__ import annotations

from typing import IO, Any

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    Raises
    ------
    OSError
        If the system or the file system has no file locks.
    """
    if fcntl is None:
        raise OSError("this system has no locks on files")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
