"""Shell completion from the file on the command line: links of a scenario, factors of a sweep and their values.

The file is read as plain tables, without pydantic. An unreadable file gives no completions.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from manypath.cli.names import beginning


def links(context: typer.Context, incomplete: str) -> list[str]:
    """Return links of the scenario or emulation on the line."""
    return beginning(_links(_table(_file(context), "network")), incomplete)


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """Return columns of the sweep on the line: its factors and `by`."""
    sweep = _file(context)
    return beginning([*_factors(sweep), *_by(sweep)], incomplete)


def conditions(context: typer.Context, incomplete: str) -> list[str]:
    """Return ``NAME=`` for each matching factor of the sweep on the line; ``NAME=VALUE`` if only one factor matches.

    A shell appends a blank to a single answer, which would be wrong after ``NAME=``.
    """
    factors = _factors(_file(context))
    names = beginning((f"{name}=" for name in factors), incomplete.partition("=")[0])
    meant = [name for name in names if incomplete.startswith(name)] or names
    if len(meant) > 1:
        return meant
    return beginning((f"{name}{value}" for name in meant for value in factors[name[:-1]]), incomplete)


def _file(context: typer.Context) -> Mapping[str, Any]:
    """Return the tables of the file on the line; an empty one if it is missing, unreadable or very large."""
    # The words before an unfinished option are not parsed yet.
    path = Path(context.params.get("file") or next(iter(context.args), ""))
    try:
        if path.stat().st_size > MOST:
            return {}
        text = path.read_text(encoding="utf-8-sig")
        read = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, Mapping) else {}


def _links(network: Mapping[str, Any]) -> Iterator[str]:
    """Iterate over the links of each form of a network."""
    yield from _table(network, "links")
    for name in _table(network, "disjoint"):
        yield from (name, f"{name}/back")
    if "bottleneck" in network or "dumbbell" in network:
        yield from ("bottleneck", "bottleneck/back")
    for wire in _table(_table(network, "topology"), "wires"):
        first, _, second = wire.partition("-")
        yield from (wire, f"{second}-{first}")


def _factors(sweep: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the values of each factor; a factor without a table is named by its place in the scenario."""
    return dict(_dotted(_table(sweep, "factors"), ""))


def _dotted(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, list[str]]]:
    """Iterate over factors by dotted name, with their scalar values."""
    for name, value in table.items():
        values = value.get("values") if isinstance(value, Mapping) else value
        if isinstance(values, list):
            yield before + name, [str(each) for each in values if not isinstance(each, list | dict)]
        elif isinstance(value, Mapping):
            yield from _dotted(value, f"{before}{name}.")


def _by(sweep: Mapping[str, Any]) -> list[str]:
    """Return the columns that identify a row beside the factors."""
    by = sweep.get("by", ["flow"] if "scenario" in sweep else [])
    return [str(name) for name in by] if isinstance(by, list) else []


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table in a table; an empty one if it is missing or not a table."""
    inner = table.get(name)
    return inner if isinstance(inner, Mapping) else {}


CAPTURED = typer.Option(metavar="NAME", help="Capture only this link; may be repeated.", autocompletion=links)
"""The option ``--link`` of commands that capture packets."""

MOST = 1_000_000
"""Largest file that is read during completion, bytes."""
