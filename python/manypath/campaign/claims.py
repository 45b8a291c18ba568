"""Claims on runs that a process currently computes, so that processes with the same store divide the work.

Each process has one file with the keys of the runs that it computes, `claims/NAME.claim`, and holds a lock on it. The
kernel releases the lock when the process ends or is killed. A file that is not locked is void and is removed. A process
renews its file by setting the modification time. A file that is not renewed for a minute is also void: its process was
stopped or its machine failed. A second lock, on `claims/lock`, makes reading and adding claims atomic.

Claims only save work: two processes that compute the same run write the same outcome. If files cannot be locked, such
as on some network file systems, every process computes all missing runs.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from manypath.locks import try_lock
from manypath.outputs import check_writable


class CannotLock(Exception):
    """Files cannot be locked in the folder, or another process does not release its lock in time."""


class Claims:
    """The claims of this process in a store, and access to those of other processes."""

    def __init__(self, store: Path) -> None:
        """Join the processes that claim runs in this folder.

        Raises
        ------
        CannotLock
            If files cannot be locked there.
        """
        self._folder = store / FOLDER
        self._own: IO[bytes] | None = None
        self._name = f"{uuid.uuid4().hex}{SUFFIX}"
        self._keys: set[str] = set()
        self._renewed = 0.0
        self._seen: dict[str, tuple[int, float]] = {}
        """Per claim of another process: its last modification time, and when this process first saw it (monotonic)."""
        self._begun = 0.0
        with self.exclusive(), _as_cannot_lock():
            self._own = (self._folder / self._name).open("w+b")
            if not try_lock(self._own):
                raise CannotLock
            # The clock of the file system, because clocks of machines differ.
            self._begun = os.fstat(self._own.fileno()).st_mtime
            self._write()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Exclude other processes from reading and adding claims."""
        with _as_cannot_lock():
            self._folder.mkdir(exist_ok=True)
            lock = (self._folder / LOCK).open("ab")
        with lock:
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not _locked(lock):
                if time.monotonic() > give_up:
                    raise CannotLock
                time.sleep(0.01)
            yield

    def of_others(self) -> set[str]:
        """Return the keys that other live processes claim; requires `exclusive`. Removes claims of ended processes."""
        found: set[str] = set()
        for claim in self._folder.glob(f"*{SUFFIX}"):
            if claim.name != self._name:
                found.update(key for key in self._read(claim) if not key.startswith(BEGUN))
        return found

    def others_since(self) -> float | None:
        """Return when the first of the other live processes joined, in seconds of the file clock; requires `exclusive`.

        Returns 0 if a process joined at an unknown time, and None if there is no other process.
        """
        found = list[float]()
        for claim in self._folder.glob(f"*{SUFFIX}"):
            if claim.name == self._name:
                continue
            first = next(iter(self._read(claim)), "")
            if first.startswith(BEGUN):
                found.append(float(first.removeprefix(BEGUN)))
            elif claim.exists():
                found.append(0.0)
        return min(found, default=None)

    def add(self, keys: Iterable[str]) -> None:
        """Claim these runs in addition to the present ones; requires `exclusive`."""
        self._keys.update(keys)
        self._write()

    def release(self, keys: Iterable[str]) -> None:
        """Release claims, after the outcomes were stored or the runs failed."""
        with self.exclusive():
            self._keys.difference_update(keys)
            self._write()

    def renew(self) -> None:
        """Renew the claims if the last renewal is `RENEWAL_SECONDS` ago; to be called more often than that."""
        if self._own is not None and time.monotonic() - self._renewed >= RENEWAL_SECONDS:
            self._renewed = time.monotonic()
            with suppress(OSError):
                os.utime(self._own.fileno())

    def close(self) -> None:
        """Release all claims."""
        if self._own is not None:
            with suppress(OSError):
                (self._folder / self._name).unlink(missing_ok=True)
            self._own.close()
            self._own = None

    def _write(self) -> None:
        if self._own is None:
            return
        with _as_cannot_lock():
            self._own.seek(0)
            self._own.write("".join(f"{line}\n" for line in (f"{BEGUN}{self._begun}", *sorted(self._keys))).encode())
            self._own.truncate()
            self._own.flush()

    def _read(self, claim: Path) -> list[str]:
        try:
            with claim.open("r+b") as file:
                if try_lock(file):
                    claim.unlink(missing_ok=True)
                    return []
                modified = os.fstat(file.fileno()).st_mtime_ns
                keys = file.read().decode(errors="replace").split()
        except OSError:  # its process has just removed it, or another user owns it
            return []
        before, since = self._seen.get(claim.name, (0, 0.0))
        if modified != before:
            since = time.monotonic()
            self._seen[claim.name] = (modified, since)
        return keys if time.monotonic() - since < SILENT_SECONDS else []


def computing_since(store: Path) -> float | None:
    """Return when the first process that computes in this store joined, in seconds of the file clock.

    Returns 0 if the time is unknown, for example if files cannot be locked, and None if no process computes.
    """
    if not (store / FOLDER).is_dir():
        return None
    try:
        check_writable(store / FOLDER)
    except OSError:
        return _seen_since(store / FOLDER)
    try:
        claims = Claims(store)
    except CannotLock:
        return 0.0
    try:
        with claims.exclusive():
            return claims.others_since()
    except CannotLock:
        return 0.0
    finally:
        claims.close()


def _seen_since(folder: Path) -> float | None:
    """Return the same for a folder that this process cannot write, and so cannot join; a reader can test a lock."""
    found = list[float]()
    for claim in folder.glob(f"*{SUFFIX}"):
        try:
            with claim.open("rb") as file:
                first = "" if try_lock(file) else file.readline().decode(errors="replace")
        except FileNotFoundError:
            continue
        except OSError:
            return 0.0
        if first.startswith(BEGUN):
            found.append(float(first.removeprefix(BEGUN)))
    return min(found, default=None)


def _locked(lock: IO[bytes]) -> bool:
    with _as_cannot_lock():
        return try_lock(lock)


@contextmanager
def _as_cannot_lock() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotLock(str(error)) from None


FOLDER = "claims"
"""Folder of claims in a store."""

SUFFIX = ".claim"
"""End of a claim's file name."""

BEGUN = "begun:"
"""Prefix of the first line of a claim, which has the time at which its process joined."""

LOCK = "lock"
"""The file that is locked while a process reads and adds claims."""

PATIENCE_SECONDS = 5.0
"""Longest wait for that lock, which processes hold for milliseconds."""

RENEWAL_SECONDS = 5.0
"""Interval at which a process renews its claims."""

SILENT_SECONDS = 60.0
"""A claim that is not renewed for this time is void."""
