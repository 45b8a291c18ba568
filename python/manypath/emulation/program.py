"""The emulator is a program of its own, so that the package needs neither Linux nor the rights of root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from manypath.emulation.model import Emulation
from manypath.errors import UserError


def find() -> Path:
    """Find the emulator: beside the interpreter, on the path, or where this repository builds it.

    Raises
    ------
    UserError
        If it is nowhere.
    """
    on_path = shutil.which(NAME)
    beside = Path(sys.executable).with_name(NAME)
    built = Path(__file__).parents[3] / "target" / "release" / NAME
    for place in (beside, Path(on_path) if on_path else beside, built):
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise UserError(f"{NAME}: is not installed: get it with `make emu`, or with `cargo install --path crates/emu`")


def start(
    emulation: Emulation, options: Sequence[str] = (), command: Sequence[str] = ()
) -> tuple[subprocess.Popen[bytes], int]:
    """Start the emulator; return its process, and where its reports can be read: one JSON object in each line.

    Parameters
    ----------
    emulation
        What to emulate.
    options
        Further words for the emulator, such as ``--no-realtime``.
    command
        What to run in the left namespace of the first pair; the emulation ends with it.
    """
    program = find()
    document = os.memfd_create("emulation")
    os.write(document, emulation.document().encode())
    reports, reporting = os.pipe()
    words = [program, "run", f"/dev/fd/{document}", "--report", f"/dev/fd/{reporting}", *options]
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, and the user's command
            [*words, "--", *command] if command else words, pass_fds=(document, reporting)
        )
    finally:
        os.close(document)
        os.close(reporting)
    return process, reports


NAME = "manypath-emu"
"""What the program is called."""
