"""Location and start of manypath's native programs.

They run on Linux only. A wheel for Linux, `make emu`, `make net` and `make kernel` install them beside the interpreter.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from manypath.errors import UserError


def program(name: str) -> str:
    """Return the path of a program: beside the interpreter, in the user's scripts, or on the PATH.

    Raises
    ------
    UserError
        If it is not installed.
    """
    found = installed(name)
    if found is None:
        raise UserError(f"{name}: not installed: {REMEDIES[name]}")
    return found


def installed(name: str) -> str | None:
    """Return the path of a program, or None if it is not installed."""
    beside = Path(sys.executable).with_name(name)
    # `pip install --user` installs programs here. The folder is not always on the PATH.
    of_user = Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), name)
    found = (str(path) for path in (beside, of_user) if os.access(path, os.X_OK))
    return next(found, None) or shutil.which(name)


def launch(name: str, words: Sequence[str], **streams: Any) -> subprocess.Popen[str]:
    """Start a program with arguments, in text mode; `streams` are keyword arguments of `subprocess.Popen`.

    Raises
    ------
    UserError
        If it is not installed.
    """
    return spawn([program(name), *words], **streams)


def become(name: str, arguments: Sequence[str] | None) -> NoReturn:
    """Replace this process by a program; without arguments it prints the program's help and ends with code 2.

    Raises
    ------
    UserError
        If it is not installed.
    """
    if not arguments:
        launch(name, ["--help"]).wait()
        sys.exit(2)
    os.execv(program(name), [name, *arguments])  # noqa: S606 - our own program, without a shell


def spawn(line: Sequence[str], **streams: Any) -> subprocess.Popen[str]:
    """Start the program of a command line, in text mode."""
    return subprocess.Popen(line, text=True, **streams)  # noqa: S603 - our own command line, without a shell


def finished(line: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the program of a command line to its end, and return its code and output."""
    return subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603 - our own command line, without a shell


def last_line(said: str | None) -> str:
    """Return the last line of a program's output, which states why it ended."""
    lines = (said or "").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def why_ended(process: subprocess.Popen[str], said: str | None) -> str:
    """Return why a program ended: the last line of its error output `said`, and the signal that killed it."""
    if (code := process.returncode or 0) >= 0:
        return last_line(said)
    killer = signal.Signals(-code).name
    return f"{last_line(said)} (killed by {killer})" if (said or "").strip() else f"it was killed by {killer}"


def fingerprint(path: str | Path) -> str:
    """Return a hash of a program's file, eight hexadecimal digits."""
    import hashlib

    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]


REMEDIES = {
    "manypath-emu": "it is part of the wheel for Linux; from the sources, run `make emu` (Linux only)",
    "manypath-net": "it is part of the wheel for Linux; from the sources, run `make net` (Linux only)",
    "manypath-kernel": "it is part of wheels for Linux that were built with clang; from the sources, run `make kernel` "
    "(Linux only)",
}
"""How each program is installed."""

EMULATOR = "manypath-emu"
"""The emulator."""

NET = "manypath-net"
"""The program for SCTP between real machines."""

LOADER = "manypath-kernel"
"""The program that loads congestion control into the kernel."""

APART: dict[str, Any] = {
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    "process_group": 0,
}
"""Arguments of `subprocess.Popen` for a child that does not receive Ctrl-C: this process then finishes its runs."""
