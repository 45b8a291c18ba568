"""Tables of numbers in HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], words: int, caption: str = "") -> str:
    """Return a table with a heading for each row and column. The first columns are `words`, the others numbers."""
    titled = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    head = "".join(_cell("th", " scope=col", place, text, words) for place, text in enumerate(heads))
    body = "".join(f"<tr>{_row(row, words)}</tr>" for row in rows)
    return f'<table class="x-numbers">{titled}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(cells: Sequence[object], words: int) -> str:
    first = _cell("th", " scope=row", 0, cells[0], words)
    return first + "".join(_cell("td", "", place, cell, words) for place, cell in enumerate(cells[1:], 1))


def _cell(tag: str, scope: str, place: int, content: object, words: int) -> str:
    side = " class=x-left" if place < words else ""
    return f"<{tag}{scope}{side}>{html.escape(str(content))}</{tag}>"
