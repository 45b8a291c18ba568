"""A virtual environment with only a wheel and its declared dependencies, made without a network."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into a new environment and return the folder of its programs.

    Dependencies are links to the packages of this interpreter. An undeclared dependency is missing in the environment.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    python = folder / "bin/python"
    _pip("--python", str(python), "install", "--no-index", "--no-deps", "--no-compile", "--quiet", str(wheel))
    for name in _needed("manypath", packages):
        _link(name, packages)
    return python.parent


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)


def _needed(name: str, packages: Path) -> set[str]:
    """Return the names of all direct and indirect dependencies of a distribution, without extras."""
    (installed,) = metadata.distributions(name=name, path=[str(packages)])
    needed: set[str] = set()
    waiting = [(line, "") for line in installed.requires or ()]
    while waiting:
        line, extra = waiting.pop()
        requirement = Requirement(line)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if applies and requirement.name not in needed:
            needed.add(requirement.name)
            requires = metadata.distribution(requirement.name).requires or ()
            waiting += [(line, extra) for extra in ("", *requirement.extras) for line in requires]
    return needed


def _link(name: str, packages: Path) -> None:
    """Link the installed files of a distribution, except for programs."""
    distribution = metadata.distribution(name)
    for top in {file.parts[0] for file in distribution.files or () if file.parts[0] not in {"..", "__pycache__"}}:
        link = packages / top
        if not link.is_symlink():
            link.symlink_to(Path(str(distribution.locate_file(top))))
