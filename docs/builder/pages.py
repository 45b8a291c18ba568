"""Adds pages without a file in docs: papers, top-level files, commands, citations, RFC 9260, and figures of runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import pictures

ROOT = Path(__file__).parents[2]
"""The root folder of the repository."""

PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "REFERENCES.md")
"""Top-level files of the repository that are pages of the site."""


def origins() -> dict[str, str]:
    """Return the sources of pages outside docs: path in the repository by path in the site."""
    papers = sorted(path.parent for path in ROOT.glob("python/manypath/papers/*/README.md"))
    return {
        **{f"project/{name.lower()}": name for name in PROJECT},
        **{f"papers/{folder.name}.md": f"python/manypath/papers/{folder.name}/README.md" for folder in papers},
    }


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and figures, and replace the patterns of the menu by the matching pages."""
    for uri, origin in origins().items():
        files.append(File.generated(config, uri, content=(ROOT / origin).read_text(encoding="utf-8")))
    for uri, content in {"reference/command-line.md": command_line(), **from_sources()}.items():
        files.append(File.generated(config, uri, content=content))
    for uri, drawing in pictures.draw(files.src_uris):
        files.append(File.generated(config, uri, content=drawing))
    config.nav = _expanded(config.nav, sorted((file.src_uri for file in files.documentation_pages()), key=_by_number))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Append the figure of a run to the page of an algorithm."""
    return markdown + pictures.section(page.file.src_uri)


def from_sources() -> dict[str, str]:
    """Return the pages that `cargo xtask pages` writes, by path in the site: citations and RFC 9260."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cargo", "xtask", "pages", folder], check=True, cwd=ROOT)  # noqa: S607 (cargo of the PATH)
        paths = sorted(Path(folder).rglob("*.md"))
        return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def command_line() -> str:
    """Return the page of all commands with their options, from the help of the program."""
    command = [sys.executable, "-m", "typer", "manypath.cli.app", "utils", "docs", "--name", "manypath"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = text.replace("# `manypath`", "# Command line", 1)
    text = re.sub(r"^Example: (.*)$", r"Example: `\1`", text, flags=re.MULTILINE)
    return _in_full(text)


def _in_full(text: str) -> str:
    """Return the page with links and full sentences of the commands' sections in its lists of commands."""
    says = dict(re.findall(r"^##+ `(manypath \S.*)`\n\n(.*)$", text, flags=re.MULTILINE))
    lines, above = [], "manypath"
    for line in text.splitlines(keepends=True):
        if heading := re.match(r"##+ `(.*)`", line):
            above = heading[1]
        item = re.match(r"\* `(\w+)`: ", line)
        command = f"{above} {item[1]}" if item else ""
        if item and command in says:
            lines.append(f"* [`{item[1]}`](#{command.replace(' ', '-')}): {says[command]}\n")
        else:
            lines.append(line)
    return "".join(lines)


def _by_number(uri: str) -> list[tuple[int, str]]:
    """Return the key of an order in which 5 is before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", uri)]


def _expanded(menu: Any, pages: list[str]) -> Any:
    """Return the menu with each pattern replaced by the matching pages."""
    if isinstance(menu, dict):
        return {title: _expanded(below, pages) for title, below in menu.items()}
    if not isinstance(menu, list):
        return menu
    entries: list[Any] = []
    for entry in menu:
        if isinstance(entry, str) and entry.endswith("*"):
            entries.extend(page for page in pages if fnmatch(page, f"{entry}.md"))
        else:
            entries.append(_expanded(entry, pages))
    return entries
