"""Start of the emulator, which is a separate program, so that the package needs neither Linux nor root."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from manypath.arguments import of_kind, texts
from manypath.emulation.model import Emulation
from manypath.programs import EMULATOR, launch


def start(
    emulation: Emulation, options: Sequence[str] = (), command: Sequence[str] = (), **streams: Any
) -> tuple[subprocess.Popen[str], Iterator[dict[str, Any]]]:
    """Start the emulator; return its process and an iterator over its reports.

    Parameters
    ----------
    emulation
        The emulation.
    options
        Options of the emulator, such as ``--no-realtime``.
    command
        Command to run in the left namespace of the first pair; the emulation ends when it ends.
    streams
        Keyword arguments of `subprocess.Popen`, such as ``stdout``. By default the emulator inherits the streams of
        this process.
    """
    of_kind("emulation", emulation, Emulation, "the result of Emulation(...) or Emulation.from_file(...)")
    options, command = texts("options", options, "words"), texts("command", command, "words")
    document = os.memfd_create("emulation")
    reports, reporting = os.pipe()
    lines = os.fdopen(reports, encoding="utf-8")
    words = ["run", f"/dev/fd/{document}", "--report", f"/dev/fd/{reporting}", *options]
    words += ["--", *command] if command else []
    try:
        os.write(document, emulation.document().encode())
        process = launch(EMULATOR, words, pass_fds=(document, reporting), **streams)
    except BaseException:
        lines.close()
        raise
    finally:
        os.close(document)
        os.close(reporting)
    return process, _read(lines)


def _read(lines: TextIO) -> Iterator[dict[str, Any]]:
    """Yield each report; an incomplete last line of a killed emulator is ignored."""
    with lines:
        for line in lines:
            if line.endswith("\n"):
                report = json.loads(line)
                # A background process of the command may keep the pipe open after the emulator.
                is_last = report["event"] == "end"
                yield report
                if is_last:
                    return
