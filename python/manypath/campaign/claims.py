"""Claims: which runs of a store are being computed now, so that processes that share the store share the work.

Each process keeps one file with the keys of the runs that it computes, `claims/NAME.claim`, and holds a lock on it.
The kernel releases the lock when the process ends, killed or not: a claim without a lock is void and its file is
removed. A claim is void, too, if its process gives no sign for a minute, because it was stopped or its machine was
lost. The short lock on `claims/lock` makes looking and claiming one step.

Claims save work and guard nothing: two processes that compute the same run write the same outcome. Where files cannot
be locked, such as on some network file systems, every process computes what it lacks.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from manypath.campaign.locks import try_lock


class Unlockable(Exception):
    """Files cannot be locked in the folder, or a lock does not become free."""


class Claims:
    """The claims of this process in a store, and a view of those of the others."""

    def __init__(self, store: Path) -> None:
        """Join the processes that claim runs in this folder.

        Raises
        ------
        Unlockable
            If files cannot be locked there.
        """
        self._folder = store / FOLDER
        self._own: IO[bytes] | None = None
        self._name = f"{uuid.uuid4().hex}{SUFFIX}"
        self._keys: set[str] = set()
        self._signed = 0.0
        self._signs: dict[str, tuple[int, float]] = {}
        self._begun = 0.0
        with self.alone(), _unlockable():
            self._own = (self._folder / self._name).open("w+b")
            if not try_lock(self._own):
                raise Unlockable
            # The clock of the files, which processes on other machines may not have.
            self._begun = os.fstat(self._own.fileno()).st_mtime
            self._write()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process looks or claims meanwhile."""
        with _unlockable():
            self._folder.mkdir(exist_ok=True)
            gate = (self._folder / GATE).open("ab")
        with gate:
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not _locked(gate):
                if time.monotonic() > give_up:
                    raise Unlockable
                time.sleep(0.01)
            yield

    def of_others(self) -> set[str]:
        """Keys that living processes have claimed; to be called alone. Claims of dead ones are removed."""
        found: set[str] = set()
        for claim in self._folder.glob(f"*{SUFFIX}"):
            if claim.name != self._name:
                found.update(key for key in self._read(claim) if not key.startswith(BEGUN))
        return found

    def others_since(self) -> float | None:
        """When the first of the other living processes joined, in seconds of the files' clock; to be called alone.

        0 if one does not say it, None if there is no other.
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
        """Claim these as well; to be called alone."""
        self._keys.update(keys)
        self._write()

    def release(self, keys: Iterable[str]) -> None:
        """Give up claims: the outcomes are in the store, or there will be none."""
        with self.alone():
            self._keys.difference_update(keys)
            self._write()

    def sign(self) -> None:
        """Show that this process goes on; call it often."""
        if self._own is not None and time.monotonic() - self._signed >= SIGN_SECONDS:
            self._signed = time.monotonic()
            with suppress(OSError):
                os.utime(self._own.fileno())

    def close(self) -> None:
        """Give up all claims."""
        if self._own is not None:
            with suppress(OSError):
                (self._folder / self._name).unlink(missing_ok=True)
            self._own.close()
            self._own = None

    def _write(self) -> None:
        if self._own is None:
            return
        with _unlockable():
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
                sign = os.fstat(file.fileno()).st_mtime_ns
                keys = file.read().decode(errors="replace").split()
        except OSError:  # its process has just removed it, or it is of another user
            return []
        before, since = self._signs.get(claim.name, (0, 0.0))
        if sign != before:
            since = time.monotonic()
            self._signs[claim.name] = (sign, since)
        return keys if time.monotonic() - since < SILENT_SECONDS else []


def computing_since(store: Path) -> float | None:
    """When the first process that computes in this store now joined, in seconds of the files' clock; None if none does.

    0 if it is unknown, as where files cannot be locked.
    """
    if not (store / FOLDER).is_dir():
        return None
    try:
        claims = Claims(store)
    except Unlockable:
        return 0.0
    try:
        with claims.alone():
            return claims.others_since()
    except Unlockable:
        return 0.0
    finally:
        claims.close()


def _locked(gate: IO[bytes]) -> bool:
    with _unlockable():
        return try_lock(gate)


@contextmanager
def _unlockable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unlockable(str(error)) from None


FOLDER = "claims"
"""Where claims are, within a store."""

SUFFIX = ".claim"
"""How the name of a claim ends."""

BEGUN = "begun:"
"""The first line of a claim begins so, and says when its process joined."""

GATE = "lock"
"""The file whose lock is held while a process looks and claims."""

PATIENCE_SECONDS = 5.0
"""How long to wait for that lock, which is held for some milliseconds."""

SIGN_SECONDS = 5.0
"""How often a process shows that it goes on."""

SILENT_SECONDS = 60.0
"""A claim whose process shows nothing for so long is void."""
