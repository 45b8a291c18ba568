"""`manypath kernel`: coupled congestion control for the kernel's own Multipath TCP, by a program of its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from manypath.errors import UserError

PROGRAM = "manypath-kernel"
"""What does it; no part of the package, because it is built with clang for one kind of machine."""


def kernel(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="check, list, load, status, default, run or unload, and what belongs to it."),
    ] = None,
) -> None:
    """Bring LIA, OLIA, BALIA and others into this machine's Linux kernel. Needs the rights of root."""
    program = _find()
    if program is None:
        raise UserError(f"{PROGRAM}: is not installed: `make kernel` in the sources of manypath builds it (Linux only)")
    os.execv(program, [PROGRAM, *(arguments or ["--help"])])  # noqa: S606 - a found path, no shell


def _find() -> str | None:
    """The program beside our own interpreter, or wherever the shell finds it."""
    beside = Path(sys.executable).with_name(PROGRAM)
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(PROGRAM)
