"""Where the programs are that do what Python cannot; the package has none, as each is built for one kind of machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from manypath.errors import UserError


def program(name: str) -> str:
    """Path of ``manypath-emu`` or ``manypath-kernel``: beside the interpreter, or wherever the shell finds it.

    Raises
    ------
    UserError
        If it is not installed.
    """
    found = installed(name)
    if found is None:
        raise UserError(
            f"{name}: is not installed: `{REMEDIES[name]}` in the sources of manypath builds it (Linux only)"
        )
    return found


def installed(name: str) -> str | None:
    """The same, or nothing if it is not installed."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(name)


def fingerprint(path: str | Path) -> str:
    """A hash of a program's own bytes."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]


REMEDIES = {"manypath-emu": "make emu", "manypath-kernel": "make kernel"}
"""What installs them."""
