"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_json(value: Any) -> None:
    """One JSON document and nothing else on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """A table; columns of numbers are set to the right, and no cell is cut where the output is no terminal."""
    cells = [list(row) for row in rows]
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=max(sum(_widths(columns, cells)) + 3 * len(columns) + 1, 80))
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(_is_number(row[index]) for row in cells)
        table.add_column(column, justify="right" if numeric else "left")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(column), *(len(row[index]) for row in rows), 0) for index, column in enumerate(columns)]


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell in ("", "-")
