"""The profile of the release build belongs to this engine.

The compiler finds the counts of a generic function by its mangled name. The hash in this name changes with the
dependencies of `manypath-lab`. With the profile of another hash the engine gives the same results, but needs 6 % more
CPU time.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from manypath import _native

PROFILE = Path(__file__).parents[2] / "crates/py/training.profdata"
EVENT_LOOP = re.compile(r"_ZN12manypath_sim5world\S*World\S*?(?:3run|4poll)17h[0-9a-f]{16}E")
"""Mangled names of the functions that take most of the time."""


def test_the_profile_has_the_event_loop_of_this_engine():
    nm = shutil.which("nm") or pytest.skip("needs nm (Debian: binutils)")
    symbols = subprocess.run([nm, _native.__file__], capture_output=True, text=True, check=True).stdout
    event_loop = set(EVENT_LOOP.findall(symbols))
    profile = PROFILE.read_bytes()
    unknown = [name for name in event_loop if name.encode() not in profile]
    assert event_loop, "nm finds no event loop"
    assert not unknown, f"the profile is of another engine: run `make profile` ({unknown})"
