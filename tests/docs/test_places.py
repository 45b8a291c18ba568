"""Files, folders, make targets and commands that the pages name exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import FENCE, ROOT, blocks, pages

from manypath.cli.app import app

ARCHITECTURE = ROOT / "ARCHITECTURE.md"

PLACE = re.compile(r"`((?:crates|docs|examples|fuzz|python|spec|tests|xtask)/[\w./*-]*)`")
"""A path from the root of the repository; `NAME` stands for any name."""

FILE = re.compile(r"`([\w./-]*\w\.(?:rs|py|c|h|toml|json|md|sh)|[\w./-]*\w/)`")
"""A file or a folder."""

MAKE = re.compile(r"(?:`|^)make\s([a-z][a-z-]*)", re.MULTILINE)
"""A target of the Makefile, in backticks or at the beginning of a line of a block."""

COMMAND = re.compile(r"(?:`|^)(?:sudo )?manypath\s([a-z]+)", re.MULTILINE)
"""A command of manypath, in the same places."""

NOT_HERE = {
    "crates/cc/src/algorithms/shared.rs": "own-congestion-control.md",
    "crates/cc/tests/stories/snapshots/shared.snap": "own-congestion-control.md",
    "crates/link/src/queue/drop_head.rs": "own-queue.md",
    "crates/tcp/src/mptcp/preferred.rs": "own-scheduler.md",
    "fuzz/NAME/crashes/": "CONTRIBUTING.md",
}
"""Files that readers or programs make, with the page that says so."""

MADE = ("target/", "report/")
"""Folders that commands make."""

DATED = ("CHANGELOG.md", "docs/log/")
"""Pages about earlier revisions."""


def current() -> list[Path]:
    """Return the pages about this revision."""
    return [page for page in pages() if not page.relative_to(ROOT).as_posix().startswith(DATED)]


def sections() -> Iterator[tuple[list[Path], str]]:
    """Iterate over the sections of the code map: the folders of the heading, and the text."""
    code_map = ARCHITECTURE.read_text(encoding="utf-8").split("## Code map\n")[1].split("\n## ")[0]
    for section in re.split(r"^### ", code_map, flags=re.MULTILINE)[1:]:
        yield [ROOT / folder for folder in re.findall(r"`([^`]+)`", section.split("\n")[0])], section


def is_in(folder: Path, name: str) -> bool:
    """Return whether a file or folder whose path ends with `name` is in a folder; `NAME` stands for any name."""
    return any(folder.glob(f"**/{name.rstrip('/').replace('NAME', '*')}"))


@pytest.mark.parametrize("page", current(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_on_a_page_exists(page: Path):
    found = PLACE.findall(page.read_text(encoding="utf-8"))
    missing = {place for place in found if not any(ROOT.glob(place.rstrip("/").replace("NAME", "*")))}
    assert not {place for place in missing if NOT_HERE.get(place) != page.name}


def test_every_page_of_an_absent_file_names_it():
    texts = {page.name: page.read_text(encoding="utf-8") for page in current()}
    assert all(f"`{place}`" in texts[page] for place, page in NOT_HERE.items())


@pytest.mark.parametrize(("folders", "text"), list(sections()), ids=lambda part: "" if isinstance(part, str) else None)
def test_every_file_in_a_section_of_the_map_is_in_its_folder(folders: list[Path], text: str):
    names = [name for name in FILE.findall(text) if not any(ROOT.glob(name.rstrip("/").replace("NAME", "*")))]
    assert folders
    assert not [name for name in names if not any(is_in(folder, name) for folder in folders)]


def test_every_file_that_the_recipes_name_is_somewhere():
    rooms = [
        ROOT / room
        for room in ("crates", "dependencies", "docs", "examples", "fuzz", "python", "spec", "tests", "xtask")
    ]
    names = set(FILE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    partial = {name for name in names if not PLACE.fullmatch(f"`{name}`") and not name.startswith(MADE)}
    assert len(partial) > 20
    assert not [
        name for name in sorted(partial) if not (ROOT / name).exists() and not any(is_in(room, name) for room in rooms)
    ]


def words(form: re.Pattern[str]) -> set[tuple[str, str]]:
    """Return what a pattern finds outside of sentences, with the page."""
    found: set[tuple[str, str]] = set()
    for page in current():
        spans = re.findall(r"`[^`]+`", FENCE.sub("", page.read_text(encoding="utf-8")))
        for text in [*spans, *(block.text for block in blocks(page))]:
            found |= {(page.name, word) for word in form.findall(text)}
    return found


def test_every_make_target_on_a_page_exists():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = words(MAKE)
    assert len(named) > 20
    assert not {(page, target) for page, target in named if target not in targets}


def test_every_command_on_a_page_exists():
    commands = app.registered_commands
    known = {each.name or (each.callback.__name__ if each.callback else "") for each in commands}
    known |= {str(group.name) for group in app.registered_groups}
    named = words(COMMAND)
    assert len(named) > 20
    assert not {(page, command) for page, command in named if command not in known}
