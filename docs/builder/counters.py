"""Writes the counters of flows into docs/reference/measurements.md: names and meanings come from the engine."""

from __future__ import annotations

import re
from pathlib import Path

from manypath.measurements import FLOW_COUNTERS

PAGE = Path(__file__).parents[1] / "reference/measurements.md"
TABLE = re.compile(r"(?<=<!-- begin: make docs -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = "\n| column | meaning |\n| --- | --- |\n"


def written(page: str) -> str:
    """Return the page with the table of the current counters."""
    rows = (f"| `{name}` | {meaning.rstrip('.')} |\n" for name, meaning in FLOW_COUNTERS.items())
    return TABLE.sub(lambda _: HEAD + "".join(rows) + "\n", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
