"""Conditions of tests that run flows over emulated links in real time."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


def lacks(*programs: str) -> bool:
    """Return whether a program is neither beside the interpreter nor on the PATH."""
    return not all(Path(sys.executable).with_name(name).is_file() or shutil.which(name) for name in programs)


# Only root may make network namespaces. Continuous integration is root and builds both programs, so no test is skipped.
needs_emulator = pytest.mark.skipif(
    os.geteuid() != 0 or lacks("manypath-emu"), reason="needs root and manypath-emu (make emu) to emulate links"
)
needs_stack = pytest.mark.skipif(
    os.geteuid() != 0 or lacks("manypath-emu", "manypath-net"),
    reason="needs root, manypath-emu and manypath-net (make emu net) to run our SCTP over emulated links",
)
needs_usrsctp = pytest.mark.skipif(
    lacks("cc", "pkg-config") or not Path("/usr/include/usrsctp.h").is_file(),
    reason="needs cc, pkg-config and libusrsctp-dev",
)
