"""Tables in Markdown, for READMEs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown. Every row has as many fields as the head."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(fields)} |\n" for fields in lines)
