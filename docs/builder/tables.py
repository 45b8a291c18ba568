"""Tables whose headings say what they head: columns, or the rest of their row."""

from __future__ import annotations

import re
from typing import Any

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
"""A table that Markdown makes."""

FIRST = re.compile(r"(?P<row><tr>\s*)<td(?P<style>[^>]*)>(?P<cell>(?!</td>).+?)</td>", re.DOTALL)
"""A row with something in its first cell."""


def on_page_content(html: str, **_: Any) -> str:
    """Give the tables of a page scopes."""
    return TABLE.sub(lambda table: with_scopes(table[0]), html)


def with_scopes(table: str) -> str:
    """Return a table with headings of columns, and the first cell of each row as its heading."""
    head, begin, body = table.partition("<tbody>")
    rows = FIRST.sub(r'\g<row><th scope="row"\g<style>>\g<cell></th>', body)
    return re.sub(r"<th(?=[ >])", '<th scope="col"', head) + begin + rows
