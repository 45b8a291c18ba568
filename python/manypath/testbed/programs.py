"""Where the programs of the testbed are, which the Python package does not contain."""

from __future__ import annotations

import hashlib
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
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise UserError(f"{name} is not installed: in the project's folder, {REMEDIES[name]}")
    return found


def fingerprint(path: str) -> str:
    """A hash of a program's own bytes."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]


REMEDIES = {"manypath-emu": "make emu", "manypath-kernel": "make kernel"}
"""What installs them."""
