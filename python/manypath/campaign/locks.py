"""Locks on files: the kernel releases them when their holder ends, however it ends."""

from __future__ import annotations

from typing import IO, Any

try:
    import fcntl
except ImportError:  # a system without them
    fcntl = None


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False if another process has it locked.

    Raises
    ------
    OSError
        If the system or the file system has no such locks.
    """
    if fcntl is None:
        raise OSError("this system has no locks on files")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
