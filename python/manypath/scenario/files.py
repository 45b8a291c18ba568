"""Reading of input files in TOML or JSON."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from manypath.arguments import file
from manypath.errors import UserError, in_file_form, quoted, visible
from manypath.scenario.file_kinds import KINDS, other_kind
from manypath.scenario.traces import beside


def read_table(path: str | Path, kind: str, *others: str) -> dict[str, Any]:
    """Read the table of a file of one of these kinds; names of traces are relative to its folder.

    The path ``-`` is standard input. The kinds are keys of `KINDS`.

    Raises
    ------
    UserError
        If the file cannot be read, is neither TOML nor JSON, is nested too deeply, or is of another kind.
    """
    path = Path(file("file", path))
    called, top = name_of(path), KINDS[kind].top
    text = _text(path)
    if not text.strip():
        raise UserError(f"{called}: is empty: write {top} at its top")
    language = _language(path, text)
    try:
        if language == "TOML" and _longest_key(text) > DEEP:
            # Time and memory for such a key grow with the square of its length.
            raise RecursionError
        fields = json.loads(text, object_pairs_hook=_table) if language == "JSON" else tomllib.loads(text)
    except ValueError as error:
        said = f"a number has more than {MOST_DIGITS} digits" if "int_max_str_digits" in str(error) else error
        raise UserError(f"{called}: invalid {language} ({said}): correct it there") from None
    except RecursionError:
        raise UserError(f"{called}: nested too deeply: write {top} at its top") from None
    if not isinstance(fields, dict):
        raise UserError(f"{called}: is no table: write {top} at its top") from None
    # The schema for editors; TOML files have a comment instead.
    fields.pop("$schema", None)
    if not fields:
        raise UserError(f"{called}: is empty: write {top} at its top")
    other = other_kind(fields, (kind, *others))
    if other is not None:
        command = shlex.join(["manypath", other.command, str(path)])
        raise UserError(f"{called}: is {other.name}, not {KINDS[kind].name}: use `{command}`")
    return beside(path.parent, fields)


@contextmanager
def mistakes_of(path: str | Path) -> Iterator[None]:
    """Show the mistakes in an input file with its name and with values in the form of a file."""
    try:
        with in_file_form():
            yield
    except UserError as error:
        raise UserError("\n".join(f"{name_of(path)}: {line}" for line in str(error).splitlines())) from None


def name_of(path: str | Path) -> str:
    """Return the name of an input file for messages."""
    return "standard input" if str(path) == STANDARD_INPUT else visible(str(path))


def stem_of(path: str | Path) -> str:
    """Return the name of an input file without folder and extension, for names of outputs."""
    return "stdin" if str(path) == STANDARD_INPUT else Path(path).stem


def _text(path: Path) -> str:
    """Return the content of a file, with Unix line ends and without a byte order mark, which Windows editors add."""
    called, remedy = name_of(path), "give the path of a .toml or .json file"
    try:
        with _opened(path) as source:
            # A device has no size and may have no end.
            content = source.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UserError(f"{called}: has more than {MOST_BYTES // 10**6} MB: {remedy}")
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        hint = " (`manypath examples` writes the examples)" if path.parent.name == "examples" else ""
        raise UserError(f"{called}: there is no such file: {remedy}{hint}") from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"{called}: is not UTF-8 (byte {error.object[error.start]:#04x} at {error.start}): save it as UTF-8"
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UserError(f"{called}: cannot be read ({why}): {remedy}") from None


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    if str(path) != STANDARD_INPUT:
        return path.open("rb")
    if sys.stdin is None:
        raise OSError("it is closed")
    return nullcontext(sys.stdin.buffer)


def _language(path: Path, text: str) -> str:
    """Return the language of a file by its extension; without a known one by its first character."""
    if path.suffix in (".json", ".toml"):
        return path.suffix[1:].upper()
    if text.lstrip().startswith("{"):
        return "JSON"
    try:
        # A list, a text or a number, which is no table; a table of TOML may also begin with a bracket.
        json.loads(text)
    except (ValueError, RecursionError):
        return "TOML"
    return "JSON"


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


STANDARD_INPUT = "-"
"""The path that stands for standard input."""

MOST_BYTES = 64_000_000
"""Largest file, bytes."""

MOST_DIGITS = sys.int_info.default_max_str_digits
"""Largest number of digits of a number."""

DEEP = 64
"""Largest number of nested levels of a valid file."""

SEPARATORS = re.compile(r"[\r\n,=\[\]{}]+")
"""Characters between keys in TOML."""

IGNORED = dict.fromkeys(map(ord, " \t\"'"))
"""Characters around the parts of a key."""
