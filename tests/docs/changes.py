"""Reads what a page does to files, and carries the page out.

A block whose title is a path writes that file, which must be new. A `diff` block changes the file in its title: the
lines that it shows without a plus are there exactly once, and the lines without a minus replace them; `@@` begins
another place. From the first `diff` block on, or from the first file of a project of the reader's own (`Cargo.toml`),
all blocks depend on such changes: the long list carries them out, and the gate runs those before.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from blocks import ROOT, Block, blocks


def is_file(block: Block) -> bool:
    """Return whether a block writes or changes a file of the tree or of a project."""
    return block.language == "diff" or "/" in block.title or is_project(block)


def is_project(block: Block) -> bool:
    """Return whether a block is the manifest of a project of the reader's own."""
    return block.title == "Cargo.toml"


def before_changes(page_blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that need no change of a file, without those that write a file of the tree."""
    first = next((n for n, block in enumerate(page_blocks) if block.language == "diff" or is_project(block)), None)
    return [block for block in page_blocks[:first] if not is_file(block)]


def with_files(pages: Sequence[Path]) -> list[Path]:
    """Return the pages that write or change files."""
    return [page for page in pages if any(is_file(block) for block in blocks(page))]


def places(block: Block) -> Iterator[tuple[str, str]]:
    """Iterate over the places that a `diff` block changes: the lines before and after."""
    for part in re.split(r"^@@.*\n", block.text, flags=re.MULTILINE):
        lines = part.splitlines(keepends=True)
        before, after = (
            "".join(line[1:] or line for line in lines if not line.startswith(other)) for other in ("+", "-")
        )
        if before != after:
            yield before, after


def changed(block: Block, text: str | None) -> str:
    """Return the contents of a file after a block; `text` is its contents before, None if there is none."""
    place = f"line {block.line}: {block.title}"
    if block.language != "diff":
        assert text is None, f"{place} exists: change it by a diff"
        return block.text
    assert text is not None, f"{place} does not exist"
    found = list(places(block))
    assert found, f"{place}: no line begins with + or -"
    for before, after in found:
        assert text.count(before) == 1, f"{place} has these lines {text.count(before)} times, not once:\n{before}"
        text = text.replace(before, after)
    return text


def changed_files(page: Path) -> dict[str, str]:
    """Return the files of the tree, or of a project, after a page, by their paths; writes none of them."""
    texts: dict[str, str] = {}
    files = [block for block in blocks(page) if is_file(block)]
    for block in files:
        original = ROOT / block.title
        is_in_tree = original.exists() and not any(map(is_project, files))
        text = texts.get(block.title) or (original.read_text(encoding="utf-8") if is_in_tree else None)
        texts[block.title] = changed(block, text)
    return texts


class Walk:
    """Carries out a page in a folder, block by block.

    Attributes
    ----------
    page : Path
        The page.
    folder : Path
        The folder that the page changes, and in which its commands run.
    environment : Mapping[str, str]
        Variables of the commands.
    """

    def __init__(self, page: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self.page = page
        self.folder = folder
        self.environment = environment
        self._code = ""

    def run(self, command: str, place: str) -> str:
        """Run a command by the shell and return its output."""
        words = ["bash", "-euo", "pipefail", "-c", command]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{place}: {command}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"
        return done.stdout

    def write(self, block: Block) -> None:
        """Write or change the file of a block."""
        file = self.folder / block.title
        text = file.read_text(encoding="utf-8") if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(changed(block, text), encoding="utf-8")

    def run_python(self, block: Block, place: str) -> str:
        """Run a block of Python after those before it, and return what it alone prints."""
        self._code += f"print('\\0', end='')\n{block.text}\n"
        (self.folder / SCRIPT).write_text(self._code, encoding="utf-8")
        return self.run(f"python {SCRIPT}", place).split("\0")[-1]


SCRIPT = "page.py"
"""The file with the Python blocks of a page so far."""
