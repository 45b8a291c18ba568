"""A copy of the repository that a test may change and build: its own environment, and a shared folder of builds."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from blocks import ROOT

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
"""The folder of cargo's builds."""

KEPT = (".venv/", "python/manypath/_native")
"""What a build installs in a copy: it stays from one page to the next."""


def sources() -> list[str]:
    """Return the paths of all files of the repository, with those that are not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def copy_sources(tree: Path) -> None:
    """Make the files of `tree` equal to those of the repository.

    A file with the right contents keeps its time, and another one gets the present time: cargo compares times only.
    """
    names = sources()
    for name in names:
        source, target = ROOT / name, tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if not target.is_symlink():
                target.symlink_to(source.readlink())
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    others = {path.relative_to(tree).as_posix() for path in tree.glob("**/*") if path.is_symlink() or path.is_file()}
    for name in others - set(names):
        if not name.startswith(KEPT):
            (tree / name).unlink()


def make_environment(tree: Path) -> dict[str, str]:
    """Give a copy a virtual environment with the packages of this one, and return the variables of its commands.

    Packages are links, without this repository's own. So nothing is installed from a network, and nothing of this
    environment changes. The build for users is compiled like that of the tests: its results are the same, and the
    optimisation of the whole program takes minutes.
    """
    folder = tree / ".venv"
    if not folder.exists():
        venv.create(folder, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("manypath") and entry.suffix != ".pth" and not (packages / entry.name).exists():
            (packages / entry.name).symlink_to(entry)
    maturin = folder / "bin/maturin"
    if not maturin.exists():
        maturin.symlink_to(Path(sys.executable).parent / "maturin")
    (folder / ".packages").touch()
    return {
        **{name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}},
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        **shared_builds(),
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_DEBUG": "0",
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
        "MAKEFLAGS": "use_profile=",
    }


def shared_builds() -> dict[str, str]:
    """Return the variables with which cargo takes the dependencies of the repository's build, without a network.

    What a build of a copy makes for users has a folder of its own, because the tests start the programs of the
    repository's build.
    """
    return {
        "CARGO_BUILD_BUILD_DIR": str(TARGET),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(TARGET / "tutorials"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
    }
