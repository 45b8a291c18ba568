"""Reading of input files in TOML or JSON."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from manypath.arguments import file
from manypath.errors import UserError, quoted
from manypath.scenario.traces import beside


def read_table(path: str | Path, keys: str) -> dict[str, Any]:
    """Read the table of a file; names of traces are relative to its folder. Messages mention the top-level `keys`.

    Raises
    ------
    UserError
        If the file cannot be read, is neither TOML nor JSON, or is nested too deeply.
    """
    path = Path(file("file", path))
    try:
        with path.open("rb") as source:
            # A device has no size and may have no end.
            content = source.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UserError(f"{path}: has more than {MOST_BYTES // 10**6} MB: give the path of a .toml or .json file")
        text = content.decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        hint = " (`manypath examples` writes the examples)" if path.parent.name == "examples" else ""
        raise UserError(f"{path}: there is no such file: give the path of a .toml or .json file{hint}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read ({error}): give the path of a .toml or .json file") from None
    kind = "JSON" if path.suffix == ".json" else "TOML"
    try:
        if kind == "TOML" and _longest_key(text) > DEEP:
            # Time and memory for such a key grow with the square of its length.
            raise RecursionError
        fields = json.loads(text, object_pairs_hook=_table) if kind == "JSON" else tomllib.loads(text)
    except ValueError as error:
        raise UserError(f"{path}: invalid {kind} ({error}): correct it there") from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply: write {keys} at its top") from None
    if not isinstance(fields, dict):
        raise UserError(f"{path}: is no table: write {keys} at its top") from None
    # The schema for editors; TOML files have a comment instead.
    fields.pop("$schema", None)
    return beside(path.parent, fields)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a table of a JSON object; refuse repeated keys, as TOML does."""
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {quoted(twice)} occurs twice in one table")
    return table


def _longest_key(text: str) -> int:
    """Return the number of parts of the longest dotted key, or of a similar text."""
    words = SEPARATORS.split(text.translate(IGNORED))
    return max(sum(map(bool, word.split("."))) for word in words)


MOST_BYTES = 64_000_000
"""Largest file, bytes."""

DEEP = 64
"""Largest number of nested levels of a valid file."""

SEPARATORS = re.compile(r"[\r\n,=\[\]{}]+")
"""Characters between keys in TOML."""

IGNORED = dict.fromkeys(map(ord, " \t\"'"))
"""Characters around the parts of a key."""
