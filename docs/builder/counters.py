"""Writes the classes of counters of the Python package, with the engine's names and meanings: `make docs`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

from manypath import _native
from manypath.measurements import COUNTERS

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "python/manypath/sctp/counters.py"


def module() -> str:
    """Return the Python module with the counters of associations, paths and endpoints."""
    counters = {kind: dict(rows) for kind, rows in _native.sctp_counters()}
    classes = [
        ("AssociationCounters", "Counters of an association. `Path` has the counters of each path.", "association"),
        ("PathCounters", "Counters of a path of an association.", "path"),
        ("EndpointCounters", "Counters of an endpoint, in SCTP packets.", "endpoint"),
    ]
    limits = "Durations for which a path could not send new data, in seconds, by the first limit that it reached."
    parts = [class_(name, about, counters[of].items(), "int") for name, about, of in classes]
    return HEAD + "".join(parts) + class_("Blocked", limits, COUNTERS["limits"].items(), "float")


def class_(name: str, about: str, fields: Iterable[tuple[str, str]], kind: str) -> str:
    """Return a class with documented fields."""
    lines = "".join(f"    {field}: {kind}\n{documentation(meaning)}" for field, meaning in fields)
    return f'\n\n@dataclass(frozen=True, slots=True)\nclass {name}:\n    """{about}"""\n\n{lines}'


def documentation(meaning: str) -> str:
    """Return the documentation of a field, in lines of at most 120 columns."""
    text = meaning.replace(" §", " section ")
    return textwrap.fill(f'"""{text}"""', 120, initial_indent="    ", subsequent_indent="    ") + "\n"


HEAD = '''"""Counters of associations, of their paths and of endpoints, from their start.

`make docs` writes this file, with the engine's names and meanings.
"""

from __future__ import annotations

from dataclasses import dataclass
'''


if __name__ == "__main__":
    MODULE.write_text(module(), encoding="utf-8")
