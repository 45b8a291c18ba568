"""The documentation in the package: the site that `make site` builds into it, its pages, and the names they explain."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from manypath.errors import UserError, quoted, remedy

SITE = Path(__file__).parent / "site"
"""The folder of the site. A wheel contains it; a source tree has it after `make site`."""

HOME = "index"
"""Name of the home page."""


def pages() -> list[str]:
    """Return the names of all pages: their paths in the site without the ending; none without a site."""
    found = (path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html"))
    return sorted(found, key=lambda name: (name.count("/"), name))


def page(name: str) -> Path:
    """Return the file of a page.

    Parameters
    ----------
    name : str
        The name of the page, such as ``how-to/emulate``, or its last part, or the name of a part of the site. The
        endings ``.md`` and ``.html`` and the folder ``docs`` are ignored.

    Raises
    ------
    UserError
        If there is no site, no such page, or several.
    """
    known = pages()
    if HOME not in known:
        raise UserError("docs: this source tree has no built site: run `make site`, or install a wheel of `make wheel`")
    wanted = name.removeprefix("docs/").removesuffix(".md").removesuffix(".html").strip("/")
    exact = [each for each in (wanted, f"{wanted}/{HOME}") if each in known]
    found = exact[:1] or [each for each in known if each.endswith(f"/{wanted}")]
    inside = [each for each in known if wanted and each.startswith(f"{wanted}/")]
    if not found and inside:
        raise UserError(f"PAGE: {quoted(name)} is a folder of pages: write one of {', '.join(inside)}")
    if not found:
        last = (each.rpartition("/")[2] for each in known)
        hint = remedy(wanted, [*known, *last])
        if not hint.startswith("did you mean"):
            hint = "the home page, which manypath docs opens, has all pages"
        raise UserError(f"PAGE: {quoted(name)} is no page: {hint}")
    if len(found) > 1:
        raise UserError(f"PAGE: {quoted(name)} is several pages: write one of {', '.join(found)}")
    return SITE / f"{found[0]}.html"


def place(name: str) -> str | None:
    """Return the place of a name of the Python package in the site: a page and an anchor; None if there is none.

    The name is qualified by its module, such as ``manypath.scenario.sctp.Sctp.cc``.
    """
    return _places(SITE).get(name)


def place_of_page(source: str) -> str | None:
    """Return the place of the page of a file below ``docs``, such as ``explanation/timeouts.md``; None without it."""
    written = source.removesuffix(".md") + ".html"
    return written if source and (SITE / written).is_file() else None


@lru_cache(maxsize=1)
def _places(site: Path) -> Mapping[str, str]:
    """Return the places of all names that a site explains; none without a site, or with an incomplete one."""
    # The format is that of Sphinx: four lines of text, then compressed lines with name, kind, priority, place and
    # title. A `$` at the end of a place stands for the name.
    try:
        inventory = (site / "objects.inv").read_bytes()
        entries = zlib.decompress(inventory.split(b"\n", 4)[4]).decode().splitlines()
    except (FileNotFoundError, IndexError, zlib.error):
        return {}
    split = (entry.split(" ") for entry in entries)
    return {entry[0]: entry[3].removesuffix("$") + (entry[0] if entry[3].endswith("$") else "") for entry in split}
