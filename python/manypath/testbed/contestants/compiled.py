"""A C program of a contestant: it is compiled at its first use and stored in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from manypath.errors import UserError
from manypath.programs import finished


@dataclass(frozen=True)
class Program:
    """A program that uses a library with a pkg-config file.

    Attributes
    ----------
    name : str
        Name of the program, and of the library in pkg-config.
    sources : Path
        Folder of its C sources.
    packages : str
        Debian packages with the compiler, pkg-config and the library.
    """

    name: str
    sources: Path
    packages: str

    def key(self) -> str:
        """Return a hash of the sources, the compiler options and the library.

        Raises
        ------
        UserError
            If the library or pkg-config is not installed.
        """
        digest = hashlib.sha256(" ".join(OPTIONS).encode())
        for file in sorted(self.sources.glob("*.[ch]")):
            digest.update(f"{file.name}\0".encode())
            digest.update(file.read_bytes())
        digest.update(f"{self._library('--modversion')}\0".encode())
        # pkg-config reports the upstream version; a distribution may change the library without changing it.
        library = Path(self._library("--variable=libdir"), f"lib{self.name}.so")
        if library.is_file():
            digest.update(library.read_bytes())
        return digest.hexdigest()[:8]

    def path(self) -> str:
        """Return the path of the program; compile it if the cache does not have it.

        Raises
        ------
        UserError
            If the compiler, pkg-config or the library is not installed, if the sources cannot be compiled, or if the
            cache cannot be written.
        """
        target = cache() / f"{self.name}-{self.key()}"
        if not os.access(target, os.X_OK):
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                # Several processes may compile at the same time. Renaming replaces the target atomically.
                with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{self.name}-") as folder:
                    made = Path(folder, self.name)
                    self._compile(made)
                    made.replace(target)
            except OSError as error:
                raise UserError(
                    f"{self.name}: {target} cannot be written: {error.strerror}: set XDG_CACHE_HOME to another folder"
                ) from None
        return str(target)

    def _compile(self, target: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            raise UserError(f"{self.name}: there is no C compiler cc: {self._remedy}")
        sources = sorted(map(str, self.sources.glob("*.c")))
        words = [
            compiler,
            *OPTIONS,
            "-o",
            str(target),
            *sources,
            *self._library("--cflags", "--libs").split(),
            *LIBRARIES,
        ]
        done = finished(words)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or ["cc failed"]
            raise UserError(f"{self.name}: its program cannot be compiled: {errors[0].strip()}: {self._remedy}")

    def _library(self, *words: str) -> str:
        """Return the output of pkg-config for the library."""
        tool = shutil.which("pkg-config")
        if tool is None:
            raise UserError(f"{self.name}: there is no pkg-config, which finds the library: {self._remedy}")
        done = finished([tool, *words, self.name])
        if done.returncode != 0:
            raise UserError(f"{self.name}: the library is not installed: {self._remedy}")
        return done.stdout.strip()

    @property
    def _remedy(self) -> str:
        return f"install the Debian packages {self.packages}"


def cache() -> Path:
    """Return the folder of compiled programs in the user's cache."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG Base Directory Specification ignores relative paths.
    root = chosen if chosen.is_absolute() else Path.home() / ".cache"
    return root / "manypath" / "programs"


OPTIONS = ("-std=gnu11", "-O2", "-Wall")
"""Options of the compiler."""

LIBRARIES = ("-lpthread", "-lm")
"""Libraries of the system."""
