"""Reads the code blocks of a page, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root folder of the repository."""

FENCE = re.compile(
    r'^(?P<indent> *)```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?[^\n]*\n(?P<text>.*?)^(?P=indent)```$',
    re.MULTILINE | re.DOTALL,
)
"""A fenced block."""

NAME = re.compile(r"# (?P<name>\w+\.(toml|json|py))\n")
"""A comment in the first line of a block that names its file."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language : str
        The word after the fence: `python`, `console`, `text`; empty if there is none.
    title : str
        `output` if the block is the output of the previous one, or the name of a file. The name is the title of the
        block or a comment in its first line.
    text : str
        The contents without the indentation of the fence.
    line : int
        The number of its first line.
    """

    language: str
    title: str
    text: str
    line: int


def pages() -> list[Path]:
    """Return all hand-written pages: the documentation, top-level files, and pages of the papers."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("python/manypath/papers/*/README.md")])


def blocks(page: Path) -> Iterator[Block]:
    """Iterate over the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        indent = len(found["indent"])
        inside = "".join(line[indent:] for line in found["text"].splitlines(keepends=True))
        named = NAME.match(inside)
        title = found["title"] or (named["name"] if named else "")
        yield Block(found["language"], title, inside, text[: found.start()].count("\n") + 1)
