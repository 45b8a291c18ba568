"""Output of commands: tables for people, JSON for programs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from manypath.display import rich_table, table_of

if TYPE_CHECKING:
    from rich.console import Console

    from manypath.display import Column, Table


def print_json(value: Any) -> None:
    """Print a JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns: Iterable[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print a table of texts; long texts are wrapped."""
    _console().print(table_of(columns, rows))


def print_tables(tables: Iterable[Table], *, to_stderr: bool = False) -> None:
    """Print tables that fit the width of the output."""
    console = _console(to_stderr=to_stderr)
    for table in tables:
        console.print(rich_table(table, console.width))


def print_details(title: str, details: Mapping[str, str]) -> None:
    """Print a title, and below it the non-empty texts with their labels."""
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    console.print(Text(title))
    for word, text in details.items():
        if text:
            console.print(Padding(Text(f"{word}: {text}"), (0, 0, 0, 2), expand=False))


def cropped(text: str) -> str:
    """Return a text that fits one line of standard output, with an ellipsis if it is shortened."""
    width = _console().width
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def _console(*, to_stderr: bool = False) -> Console:
    """Return standard output or error; if it is not a terminal, its width is that of `COLUMNS`, or a fixed one."""
    from rich.console import Console

    console = Console(stderr=to_stderr)
    if console.is_terminal:
        return console
    # Shells and other programs may set it to 0, which means unknown.
    wanted = re.fullmatch("[1-9][0-9]{0,3}", os.environ.get("COLUMNS", ""))
    return Console(stderr=to_stderr, width=int(wanted[0]) if wanted else LOG_WIDTH)


LOG_WIDTH = 140
"""Width of output to a file or a pipe, characters, unless the variable `COLUMNS` of the environment has one."""
