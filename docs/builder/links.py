"""Rewrites links to files outside docs: to the page of the file in the site, else to the public repository."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from pages import origins

LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?=\))")
"""A link to another file, without its brackets."""

GENERATED = {"spec/rfc9260": "reference/rfc9260.md"}
"""Pages that are made from the files of a folder, by this folder."""

NO_PAGES = "docs/builder/"
"""The folder below docs whose files are no pages."""

UNDERLINED = re.compile(r"\[([^\]`\n]*)__(\w+)__([^\]`\n]*)\]\(")
"""A link whose text is a file name such as `__init__.py`, which must not become bold."""


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, **_: Any) -> str:
    """Rewrite the links of a page to files outside docs."""
    here = page.file.src_uri
    places = origins()
    home = places.get(here, f"docs/{here}")
    pages = {**{origin: uri for uri, origin in places.items()}, **GENERATED}

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), link["target"]))
        anchor = link["anchor"] or ""
        if target in pages or (target.startswith("docs/") and not target.startswith(NO_PAGES)):
            uri = pages.get(target, target.removeprefix("docs/"))
            return posixpath.relpath(uri, posixpath.dirname(here) or ".") + anchor
        return f"{config.extra['repository']}/blob/main/{target}{anchor}"

    return LINK.sub(moved, UNDERLINED.sub(r"[\1\_\_\2\_\_\3](", markdown))
