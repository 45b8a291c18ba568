"""The code blocks of a page, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository."""

GENERATED = ("docs/reference/citations.md", "docs/reference/rfc9260.md")
"""Pages that programs write, without code."""

FENCE = re.compile(
    r'^(?P<indent> *)```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?[^\n]*\n(?P<text>.*?)^(?P=indent)```$',
    re.MULTILINE | re.DOTALL,
)
"""A fenced block."""

NAME = re.compile(r"# (?P<name>\w+\.(toml|json|py))\n")
"""A first line that names the file."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language : str
        What stands behind the fence: `python`, `console`, `text`; empty if nothing.
    title : str
        `output` for what the block before it prints, or the name of a file: the title of the block, or a comment with
        nothing but the name in its first line.
    text : str
        What is in it, without the indentation of the fence.
    line : int
        Where it begins.
    """

    language: str
    title: str
    text: str
    line: int


def pages() -> list[Path]:
    """All pages that people write: the documentation, the project's own, and those of the papers."""
    written = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("python/manypath/papers/*/README.md")]
    return sorted(path for path in written if path.relative_to(ROOT).as_posix() not in GENERATED)


def blocks(page: Path) -> Iterator[Block]:
    """Iterate over the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        indent = len(found["indent"])
        inside = "".join(line[indent:] for line in found["text"].splitlines(keepends=True))
        named = NAME.match(inside)
        title = found["title"] or (named["name"] if named else "")
        yield Block(found["language"], title, inside, text[: found.start()].count("\n") + 1)
