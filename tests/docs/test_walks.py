"""The walks through the code name files, functions and types that exist: a rename of one of them makes a test fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import ROOT
from definitions import defined, in_python, in_rust

ARCHITECTURE = ROOT / "ARCHITECTURE.md"
SACK = ROOT / "docs/explanation/from-packet-to-window.md"

STEP = re.compile(
    r"^\| (?P<step>[\d, ]+) \| `(?P<file>[^`]+)` \| `(?P<name>[^`]+)` \| (?P<action>.+) \|$", re.MULTILINE
)
"""A row of a walk."""

MENTION = re.compile(r"`(?P<name>\w+(?:(?:::|\.)\w+)?)` of `(?P<file>[\w/]+\.(?:rs|py))`|`(?P<alone>\w+(?:::|\.)\w+)`")
"""A further name in an action: with its file, or a method anywhere in the crate or package of the row."""

LONGEST = 12
"""The largest number of steps of a walk."""


def steps(page: Path) -> list[re.Match[str]]:
    return list(STEP.finditer(page.read_text(encoding="utf-8")))


def names() -> Iterator[tuple[str, str, str]]:
    """Return every name of a walk with its page and the file or folder that must contain it."""
    for page in (ARCHITECTURE, SACK):
        for step in steps(page):
            yield page.name, step["file"], step["name"]
            # The folder of the crate, or that of the package.
            home = "/".join(step["file"].split("/")[:2])
            for mention in MENTION.finditer(step["action"]):
                file = mention["file"]
                if file is None:
                    yield page.name, home, mention["alone"]
                else:
                    yield page.name, file if file.startswith("crates/") else f"{home}/{file}", mention["name"]


def contains(place: Path, name: str) -> bool:
    """Return whether a file, or any file in a folder, defines `function`, `Type`, `Type::method` or `Type.method`."""
    files = [place] if place.is_file() else [*place.glob("**/*.rs"), *place.glob("**/*.py")]
    return any(name in defined(file.suffix, file.read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize(("page", "place", "name"), list(dict.fromkeys(names())))
def test_every_name_of_a_walk_is_defined_where_the_page_says(page: str, place: str, name: str):
    assert (ROOT / place).exists(), f"{page}: there is no {place}"
    assert contains(ROOT / place, name), f"{page}: {place} defines no {name}"


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        (ARCHITECTURE, "### A message out"),
        (ARCHITECTURE, "### A claim"),
        (SACK, "# From a packet to a window"),
    ],
)
def test_a_walk_has_at_most_twelve_steps_numbered_from_one(page: Path, heading: str):
    section = page.read_text(encoding="utf-8").split(f"{heading}\n")[1].split("\n##")[0]
    numbers = [step["step"] for step in STEP.finditer(section.split("| instead of |")[0])]
    assert numbers
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert len(numbers) <= LONGEST


def test_the_map_links_to_the_walk_of_a_sack():
    section = ARCHITECTURE.read_text(encoding="utf-8").split("### A SACK in\n")[1].split("\n##")[0]
    assert SACK.relative_to(ROOT).as_posix() in section


RUST = """
impl<'a, N: Debug> Pipe<Vec<N>>
where
    N: Copy,
{
    pub(crate) fn push(&mut self) {}
}

impl Transport for sctp::Endpoint {
    fn open() {
        fn inner() {}
    }
}

pub(crate) trait Transport: SansIo<Event: Into<Event>> {
    fn take();
}

pub enum Kind {
    Udp,
}

async fn run() {}
"""


def test_names_of_rust_are_found_with_their_types():
    assert set(in_rust(RUST)) == {
        "Pipe::push",
        "Transport::open",
        "Endpoint::open",
        "Transport",
        "Transport::take",
        "Kind",
        "run",
    }


def test_names_of_python_are_found_with_their_classes():
    text = "class Store:\n    def load(self): ...\n\n\ndef near():\n    def inner(): ...\n"
    assert set(in_python(text)) == {"Store", "Store.load", "near"}
