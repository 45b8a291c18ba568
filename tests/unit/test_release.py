"""The version and the date of a release are the same in every file that states them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

RELEASE = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)
"""The heading of a version in the change log."""


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def version() -> str:
    return toml("pyproject.toml")["project"]["version"]


def changes() -> str:
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_all_packages_have_one_version():
    crates = toml("Cargo.toml")["workspace"]["package"]["version"]
    locked = {each["version"] for each in toml("Cargo.lock")["package"] if each["name"].startswith("manypath")}
    peers = {
        toml(path.relative_to(ROOT).as_posix())["package"]["version"]
        for path in ROOT.glob("tests/interop/peers/*/Cargo.toml")
    }
    assert peers
    assert {crates, version()} == locked == peers


def test_the_citation_and_the_change_log_have_the_version_and_one_date():
    cited = dict(re.findall(r"^(version|date-released): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M))
    unreleased, latest, *_ = RELEASE.finditer(changes())
    assert unreleased["version"] == "Unreleased"
    assert unreleased["date"] is None
    assert latest.groupdict() == {"version": version(), "date": cited["date-released"]}
    assert cited["version"] == version()


def test_every_version_of_the_change_log_has_a_link():
    linked = set(re.findall(r"^\[([^\]]+)\]: https://", changes(), re.MULTILINE))
    assert {release["version"] for release in RELEASE.finditer(changes())} == linked


def test_sections_of_the_change_log_are_those_of_keep_a_changelog():
    kinds = set(re.findall(r"^### (.+)$", changes(), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
