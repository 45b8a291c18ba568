"""Writes the counters of flows and paths into docs/reference/measurements.md, with the engine's names and meanings."""

from __future__ import annotations

import re
from pathlib import Path

from manypath.measurements import COUNTERS

PAGE = Path(__file__).parents[1] / "reference/measurements.md"
TABLE = re.compile(r"(?<=<!-- begin: make docs, )(?P<kind>\w+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
HEAD = "\n| column | meaning |\n| --- | --- |\n"


def written(page: str) -> str:
    """Return the page with the tables of the current counters."""
    return TABLE.sub(lambda table: f"{table['kind']} -->\n{HEAD}{rows(table['kind'])}\n", page)


def rows(kind: str) -> str:
    """Return the rows of the counters of a kind of frame."""
    return "".join(f"| `{name}` | {meaning.rstrip('.')} |\n" for name, meaning in COUNTERS[kind].items())


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
