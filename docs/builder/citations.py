"""Links the tags of cited works, such as [D11], to their entries on the page of references."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from html import escape
from typing import Any

from pages import ROOT

REFERENCES = "project/references.md"
"""The page of references."""

ENTRY = re.compile(r"^- \*\*\[(?P<tag>\w+)\]\*\* (?P<work>.*(?:\n  .*)*)", re.MULTILINE)
"""An entry of REFERENCES.md."""

TAG = re.compile(r"\[(\w+)\]")
"""A tag in a text."""

ELEMENT = re.compile(r"(<[^>]*>)")
"""The begin or end of an element."""

KEPT = re.compile(r"<(?P<end>/?)(?:a|code|pre|h[1-6]|svg|math)\b")
"""An element whose text has no further links."""


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Add the links of a page, and the anchors of the page of references."""
    uri = page.file.src_uri
    if uri == REFERENCES:
        return re.sub(r"<strong>\[(\w+)\]</strong>", r'<strong id="\1">[\1]</strong>', html)
    references = posixpath.relpath(REFERENCES.replace(".md", ".html"), posixpath.dirname(uri) or ".")
    return linked(html, references, works())


@cache
def works() -> dict[str, str]:
    """Return the cited works by their tags."""
    entries = ENTRY.finditer((ROOT / "REFERENCES.md").read_text(encoding="utf-8"))
    return {entry["tag"]: " ".join(entry["work"].split()) for entry in entries}


def linked(html: str, references: str, known: dict[str, str]) -> str:
    """Return a page whose tags link to the page of references; a tooltip shows the work."""

    def link(tag: re.Match[str]) -> str:
        work = known.get(tag[1])
        return f'<a href="{references}#{tag[1]}" title="{escape(work)}">{tag[0]}</a>' if work else tag[0]

    depth, parts = 0, []
    for part in ELEMENT.split(html):
        if kept := KEPT.match(part):
            depth += -1 if kept["end"] else 1
        parts.append(part if depth or part.startswith("<") else TAG.sub(link, part))
    return "".join(parts)
