"""The emulator is a program of its own, so that the package needs neither Linux nor the rights of root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from manypath.emulation.model import Emulation
from manypath.programs import program


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
    emulator = program(NAME)
    document = os.memfd_create("emulation")
    os.write(document, emulation.document().encode())
    reports, reporting = os.pipe()
    words = [emulator, "run", f"/dev/fd/{document}", "--report", f"/dev/fd/{reporting}", *options]
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
