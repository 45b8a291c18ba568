"""Removes files from the built site that a reader without a network does not use."""

from __future__ import annotations

import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

UNUSED = ("404.html", "sitemap.xml", "sitemap.xml.gz", "assets/javascripts/lunr", "assets/**/*.map")
"""Files for servers, search in other languages than English, and maps to the sources of scripts and styles."""


def on_post_build(config: MkDocsConfig) -> None:
    """Remove the files."""
    site = Path(config.site_dir)
    for pattern in UNUSED:
        for path in list(site.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
