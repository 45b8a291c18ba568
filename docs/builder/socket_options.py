"""Reads the socket options of unmodified programs from the table of the daemon, which is in Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "crates/serve/src/options/mod.rs"

ROWS = re.compile(r"^pub const OPTIONS: .*?= &\[\n(?P<rows>.*?)^\];$", re.MULTILINE | re.DOTALL)
"""The table."""

ROW = re.compile(r"^    (?=\w+!\()", re.MULTILINE)
"""The begin of a row."""

REFUSED = re.compile(r'\w+!\((?P<name>\w+): "(?P<reason>[^"]*)"\),')
"""A refused option."""

KNOWN = re.compile(
    r"\w+!\((?P<name>\w+), (?P<get>None|Some\([^)]*\)), (?P<set>None|Some\([^)]*\))\)"
    r'(?P<early> ?\.early\(\))?(?: ?\.of\([^)]*\)+)?(?: ?\.(?:only|noted)\([^"]*"(?P<note>[^"]*)",? ?\))?,'
)
"""An option with functions that read and set it, and with a note."""


def options() -> Iterator[tuple[str, str, str]]:
    """Yield each option: its name, its use (read, set, refused), and a note, which may be empty."""
    table = ROWS.search(SOURCE.read_text(encoding="utf-8"))
    if table is None:
        raise ValueError(f"{SOURCE}: there is no table OPTIONS")
    for source in ROW.split(table["rows"])[1:]:
        yield read(" ".join(source.split()))


def read(row: str) -> tuple[str, str, str]:
    """Return an option from its row in one line."""
    if refused := REFUSED.fullmatch(row):
        return refused["name"], "refused", refused["reason"]
    known = KNOWN.fullmatch(row)
    if known is None:
        raise ValueError(f"{SOURCE}: this row of OPTIONS has an unknown form: {row}")
    use = ", ".join(word for word, function in (("read", known["get"]), ("set", known["set"])) if function != "None")
    early = "new values apply to later associations" if known["early"] else ""
    return known["name"], use, "; ".join(filter(None, (known["note"], early)))
