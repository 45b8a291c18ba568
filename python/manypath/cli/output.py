"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from manypath.display import rich_table, table_of

if TYPE_CHECKING:
    from rich.console import Console

    from manypath.display import Table


def print_json(value: Any) -> None:
    """One JSON document and nothing else on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table; columns of numbers are set to the right, long texts are folded."""
    _console().print(table_of(columns, rows))


def print_tables(tables: Iterable[Table], *, to_stderr: bool = False) -> None:
    """Tables that fit the width of the output."""
    console = _console(to_stderr=to_stderr)
    for table in tables:
        console.print(rich_table(table, console.width))


def print_details(title: str, details: Mapping[str, str]) -> None:
    """A title, and under it texts with a word before each; empty ones are left out."""
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    console.print(Text(title))
    for word, text in details.items():
        if text:
            console.print(Padding(Text(f"{word}: {text}"), (0, 0, 0, 2), expand=False))


def _console(*, to_stderr: bool = False) -> Console:
    """Standard output or error; where it is no terminal, as wide as a log can show."""
    from rich.console import Console

    console = Console(stderr=to_stderr)
    return console if console.is_terminal else Console(stderr=to_stderr, width=LOG_WIDTH)


LOG_WIDTH = 140
"""Columns of output that goes to a file or a pipe."""
