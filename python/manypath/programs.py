"""Our programs that do what Python cannot: where they are, and how they are started.

They run on Linux only. A wheel for Linux installs them beside the interpreter, where `make emu`, `make net` and
`make kernel` put them, too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from manypath.errors import UserError


def program(name: str) -> str:
    """Path of one of the programs: beside the interpreter, in the user's scripts, or on the PATH.

    Raises
    ------
    UserError
        If it is not installed.
    """
    found = installed(name)
    if found is None:
        raise UserError(f"{name}: is not installed: {REMEDIES[name]}")
    return found


def installed(name: str) -> str | None:
    """The same, or nothing if it is not installed."""
    beside = Path(sys.executable).with_name(name)
    # `pip install --user` puts programs here, which is not always on the PATH.
    of_user = Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), name)
    found = (str(path) for path in (beside, of_user) if os.access(path, os.X_OK))
    return next(found, None) or shutil.which(name)


def launch(name: str, words: Sequence[str], **streams: Any) -> subprocess.Popen[str]:
    """Start one of them with arguments; `streams` and whatever else are those of `subprocess.Popen`, with text.

    Raises
    ------
    UserError
        If it is not installed.
    """
    return spawn([program(name), *words], **streams)


def become(name: str, arguments: Sequence[str] | None) -> NoReturn:
    """Replace this process by one of them, which prints its help if there are no arguments.

    Raises
    ------
    UserError
        If it is not installed.
    """
    os.execv(program(name), [name, *(arguments or ["--help"])])  # noqa: S606 - our own program, and no shell reads the words


def spawn(line: Sequence[str], **streams: Any) -> subprocess.Popen[str]:
    """Start the program of a line that was put together here."""
    return subprocess.Popen(line, text=True, **streams)  # noqa: S603 - words of ours, and no shell reads them


def last_line(said: str | None) -> str:
    """The last line of what a program said, which tells why it ended."""
    lines = (said or "").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def fingerprint(path: str | Path) -> str:
    """A hash of a program's own bytes."""
    import hashlib

    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]


REMEDIES = {
    "manypath-emu": "it is part of the wheel for Linux; from the sources, run `make emu` (Linux only)",
    "manypath-net": "it is part of the wheel for Linux; from the sources, run `make net` (Linux only)",
    "manypath-kernel": "it is part of wheels for Linux that were built with clang; from the sources, run `make kernel` "
    "(Linux only)",
}
"""What installs them."""

EMULATOR = "manypath-emu"
"""The emulator."""

NET = "manypath-net"
"""SCTP between real machines."""

LOADER = "manypath-kernel"
"""What loads congestion control into the kernel."""

APART: dict[str, Any] = {
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    "process_group": 0,
}
"""How a program is started that works for this process alone: Ctrl-C is for this process, which finishes its runs."""
