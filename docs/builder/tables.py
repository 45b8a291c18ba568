"""Gives headings of tables a scope: a column, or the rest of a row."""

from __future__ import annotations

import re
from typing import Any

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
"""A table that Markdown wrote."""

FIRST = re.compile(r"(?P<row><tr>\s*)<td(?P<style>[^>]*)>(?P<cell>(?!</td>).+?)</td>", re.DOTALL)
"""A row whose first cell is not empty."""


def on_page_content(html: str, **_: Any) -> str:
    """Add scopes to the tables of a page."""
    return TABLE.sub(lambda table: with_scopes(table[0]), html)


def with_scopes(table: str) -> str:
    """Return a table with scoped headings: those of columns, and the first cell of each row."""
    head, begin, body = table.partition("<tbody>")
    rows = FIRST.sub(r'\g<row><th scope="row"\g<style>>\g<cell></th>', body)
    return re.sub(r"<th(?=[ >])", '<th scope="col"', head) + begin + rows
