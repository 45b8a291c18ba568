"""`manypath kernel` and `manypath net` start separate programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FAKE = """#!/bin/sh
echo "$0 got $# arguments:" "$@"
exit 3
"""


def manypath(*arguments: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with a link to the interpreter in another folder, so that the real programs are not found."""
    interpreter = path / "python"
    if not interpreter.exists():
        interpreter.symlink_to(sys.executable)
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    environment = {**os.environ, "PATH": f"{path}:/usr/bin:/bin", "PYTHONPATH": paths}
    command = [str(interpreter), "-m", "manypath", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words", [("kernel", "run", "--cc", "lia", "--", "curl", "--help"), ("net", "send", "a b", "--to", "x")]
)
def test_arguments_are_passed_to_the_program_unchanged(tmp_path: Path, words: tuple[str, ...]):
    program = tmp_path / f"manypath-{words[0]}"
    program.write_text(FAKE)
    program.chmod(0o755)
    done = manypath(*words, path=tmp_path)
    assert done.returncode == 3, done.stderr
    assert f"got {len(words) - 1} arguments: {' '.join(words[1:])}" in done.stdout


@pytest.mark.parametrize("name", ["kernel", "net"])
def test_a_missing_program_is_reported_with_how_to_install_it(tmp_path: Path, name: str):
    if Path(f"/usr/bin/manypath-{name}").exists():
        pytest.skip("it is installed for the whole machine")
    done = manypath(name, "list", path=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: manypath-{name}: not installed: it is part of ")
    assert f"`make {name}`" in done.stderr
    assert done.stderr.count("\n") == 1
