"""The locked Python packages are those that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]

STAGES = {"run.txt": ("interactive",), "dev.txt": ("interactive", "dev", "docs")}
"""The optional dependencies that each list has beside what building and running take."""

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

SYSTEMS = {"linux": "posix", "darwin": "posix"}


class Pin(NamedTuple):
    """A locked package."""

    requirement: Requirement
    hashes: int

    @property
    def version(self) -> Version:
        """The version."""
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "=="
        return Version(specifier.version)


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def optional() -> dict[str, list[str]]:
    return project()["project"]["optional-dependencies"]


def asked_for(name: str) -> list[Requirement]:
    required = project()["build-system"]["requires"] + project()["project"]["dependencies"]
    required = required + [each for extra in STAGES[name] for each in optional()[extra]]
    return [Requirement(each) for each in required]


def locked(name: str) -> list[Pin]:
    text = (ROOT / "dependencies" / name).read_text("utf-8")
    entries = re.findall(r"^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    assert len(entries) == len(re.findall(r"^[^\s#]", text, re.MULTILINE)), f"{name}: a package without hashes"
    return [Pin(Requirement(required), hashes.count("--hash")) for required, hashes in entries]


def machine(python: str, system: str) -> dict[str, str]:
    """Return the environment that markers are evaluated in."""
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "os_name": SYSTEMS[system],
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }


def versions(name: str, python: str, system: str) -> dict[str, Version]:
    """Return the locked packages that apply to a machine."""
    where = machine(python, system)
    applying = [
        pin for pin in locked(name) if pin.requirement.marker is None or pin.requirement.marker.evaluate({**where})
    ]
    names = Counter(canonicalize_name(pin.requirement.name) for pin in applying)
    assert not [package for package, count in names.items() if count > 1], "two versions of one package"
    return {canonicalize_name(pin.requirement.name): pin.version for pin in applying}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", STAGES)
def test_every_requirement_has_a_locked_version_that_it_allows(name: str, python: str, system: str):
    pins = versions(name, python, system)
    refused = [
        str(each)
        for each in asked_for(name)
        if not (version := pins.get(canonicalize_name(each.name))) or not each.specifier.contains(version)
    ]
    assert not refused, f"run dependencies/lock: dependencies/{name} does not have {', '.join(refused)}"


@pytest.mark.parametrize("python", PYTHONS)
def test_both_lists_have_the_same_versions(python: str):
    run, dev = (versions(name, python, "linux") for name in ("run.txt", "dev.txt"))
    assert run.items() <= dev.items()


def test_the_installer_is_locked_where_it_is_looked_for():
    # dependencies/install takes these lines from the list.
    found = re.findall(r"^uv==.*?# via", (ROOT / "dependencies/dev.txt").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(found) == 1
    assert found[0].count("--hash=") > 1


def test_a_requirement_reads_the_same_in_every_list():
    everywhere = [*project()["project"]["dependencies"], *project()["build-system"]["requires"]]
    everywhere += [each for extra in optional().values() for each in extra]
    by_name: dict[str, set[str]] = {}
    for each in everywhere:
        by_name.setdefault(canonicalize_name(Requirement(each).name), set()).add(each)
    assert not {name: texts for name, texts in by_name.items() if len(texts) > 1}
