"""The command of a benchmark: measures in turn, stores every result, and writes the tables of a page."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from network import remove_stale

from speed.page import Marks
from speed.program import FailedError
from speed.results import Results

T = TypeVar("T")

Measurement = tuple[str, str, str, Callable[[], dict[str, Any]]]
"""Kind, subject, contestant, and the function that measures."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its measurements, and the tables of their results."""

    marks: Marks
    """The lines of the page between which the tables are."""
    tables: Callable[[Results], str]
    """Returns all measurements as Markdown."""
    new: Callable[[argparse.Namespace], Results]
    """Returns empty results with the settings and the versions of the measured programs."""
    plan: Callable[[argparse.Namespace, int], Iterator[Measurement]]
    """Yields the measurements of a round."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Measure, or with ``--show`` read stored results; print the tables and write them into the page."""
        if arguments.show:
            results = Results(json.loads(arguments.results.read_text(encoding="utf-8")))
        else:
            if os.geteuid() != 0:
                sys.stderr.write("user: is not root: network namespaces need root\n")
                return 2
            results = self.new(arguments)
            self._measure(arguments, results)
        tables = self.tables(results)
        sys.stdout.write(tables)
        if arguments.page is not None:
            self.marks.update(arguments.page, tables)
        return 0

    def _measure(self, arguments: argparse.Namespace, results: Results) -> None:
        remove_stale()
        try:
            for round_ in range(arguments.rounds):
                for kind, subject, who, measure in self.plan(arguments, round_):
                    if results.failure(kind, subject, who) is None:
                        result = _try(measure)
                        results.add(kind, subject, round_, who, result)
                        _progress(f"round {round_ + 1} of {arguments.rounds}: {kind}, {subject}: {who}", result)
                        results.write(arguments.results)
        except KeyboardInterrupt:
            sys.stderr.write(f"\nstopped; what was measured is in {arguments.results}\n")


def parser(command: str, about: str | None, results: Path) -> argparse.ArgumentParser:
    """Return a parser with the arguments of every benchmark. `results` is the default file of results."""
    made = argparse.ArgumentParser(prog=f"{command} ARGS=...", description=about)
    made.add_argument("--results", type=Path, default=results, help="where results go")
    made.add_argument("--page", type=Path, help="page whose tables are replaced")
    made.add_argument("--show", action="store_true", help="measure nothing; show what --results has")
    return made


def in_turn(contestants: Sequence[T], round_: int) -> list[T]:
    """Return the contestants in the order of a round: each round begins with the next one."""
    first = round_ % len(contestants)
    return [*contestants[first:], *contestants[:first]]


def _try(measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return measure()
    except FailedError as failure:
        return {"failed": str(failure)}


def _progress(measured: str, result: dict[str, Any]) -> None:
    shown = {name: value for name, value in result.items() if isinstance(value, (int, float, str))}
    words = ", ".join(f"{name} {value if isinstance(value, str) else f'{value:,.4g}'}" for name, value in shown.items())
    sys.stderr.write(f"{measured}: {words}\n")
