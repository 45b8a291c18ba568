"""`python -m program_speed`: measure in turn, store every result, and write the tables."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from network import remove_stale
from speed.page import Marks, machine, ratio_text, table, value
from speed.program import FailedError
from speed.results import Results, output, ratio

from program_speed.measured import IPERF3, PERF, RAW, TCP, connections, transfer

ROOT = Path(__file__).parents[3]

MARKS = Marks("make bench-programs")

CONNECTIONS = [*RAW, "TCP"]
"""What carries the connections."""

Measurement = tuple[str, str, str, Callable[[], dict[str, Any]]]
"""Kind, subject, contestant, and the function that measures."""


def main() -> int:
    """Run the requested measurements."""
    arguments = _arguments()
    if arguments.show:
        results = Results(json.loads(arguments.results.read_text(encoding="utf-8")))
    else:
        if os.geteuid() != 0:
            sys.stderr.write("user: is not root: network namespaces need root\n")
            return 2
        iperf3 = output("iperf3", "--version").split()[1]
        results = Results.new({"rounds": arguments.rounds, "seconds": arguments.seconds}, iperf3=iperf3)
        remove_stale()
        with tempfile.TemporaryDirectory() as folder:
            _measure(arguments, results, Path(folder))
    sys.stdout.write(_tables(results))
    if arguments.page is not None:
        MARKS.update(arguments.page, _tables(results))
    return 0


def _measure(arguments: argparse.Namespace, results: Results, folder: Path) -> None:
    for round_ in range(arguments.rounds):
        for kind, subject, who, measure in _plan(arguments.seconds, round_, folder):
            try:
                result = measure()
            except FailedError as failure:
                result = {"failed": str(failure)}
            results.add(kind, subject, round_, who, result)
            results.write(arguments.results)
            sys.stderr.write(f"round {round_ + 1} of {arguments.rounds}: {subject}, {who}: {result}\n")


def _plan(seconds: float, round_: int, folder: Path) -> Iterator[Measurement]:
    """Yield the measurements of a round. The first contestant alternates between rounds."""
    for carrier in RAW:
        for reverse in (False, True):
            subject = f"{carrier}, {'server to client' if reverse else 'client to server'}"
            for who in _in_turn([IPERF3, PERF, TCP], round_):
                yield "transfer", subject, who, lambda c=carrier, r=reverse, w=who: transfer(c, r, w, seconds)
    for carrier in _in_turn(CONNECTIONS, round_):
        yield "connections", "one after the other", carrier, lambda c=carrier: connections(c, folder, seconds)


def _in_turn(names: list[str], round_: int) -> list[str]:
    first = round_ % len(names)
    return [*names[first:], *names[:first]]


def _tables(results: Results) -> str:
    """Return all measurements as Markdown."""
    return "\n".join((machine(results), _transfers(results), _connections(results)))


def _transfers(results: Results) -> str:
    rows = []
    for subject in results.subjects("transfer"):
        row = [subject]
        for who in (IPERF3, PERF, TCP):
            row.append(value(results, "transfer", subject, who, ("goodput",), "{:,.0f}"))
            row.append(value(results, "transfer", subject, who, ("cpu_per_gb",), "{:.2f}"))
        rounds = results.rounds("transfer", subject)
        for field, other in (("goodput", PERF), ("cpu_per_gb", PERF), ("goodput", TCP)):
            row.append(ratio_text(ratio(rounds, IPERF3, other, field)))
        rows.append(row)
    head = ["transfer"]
    for who in ("iperf3 --sctp", "net perf", "iperf3 over TCP"):
        head += [f"{who}: Mbit/s", "CPU s/GB"]
    head += ["goodput, iperf3 / net perf", "CPU, iperf3 / net perf", "goodput, SCTP / TCP"]
    return table("Programs: bulk data", head, rows)


def _connections(results: Results) -> str:
    rows = []
    for subject in results.subjects("connections"):
        rates = (value(results, "connections", subject, carrier, ("rate",), "{:,.0f}") for carrier in CONNECTIONS)
        rows.append([subject, *rates])
    return table("Programs: connections per second", ["connections", *CONNECTIONS], rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-programs ARGS=...", description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="how often everything is measured; 6")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a transfer; 3")
    results = ROOT / "target" / "bench-programs.json"
    parser.add_argument("--results", type=Path, default=results, help="where results go")
    parser.add_argument("--page", type=Path, help="page whose tables are replaced")
    parser.add_argument("--show", action="store_true", help="measure nothing; show what --results has")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
