"""`python -m program_speed`: measure in turn, store every result, and write the tables."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from speed.command import Benchmark, Measurement, in_turn, parser
from speed.page import Marks, machine, ratio_text, table, value
from speed.results import Results, output, ratio

from program_speed.measured import IPERF3, PERF, RAW, TCP, connections, transfer

ROOT = Path(__file__).parents[3]

MARKS = Marks("make bench-programs")

CONNECTIONS = [*RAW, "TCP"]
"""What carries the connections."""


def main() -> int:
    """Run the requested measurements."""
    with tempfile.TemporaryDirectory() as folder:
        return Benchmark(MARKS, _tables, _results, partial(_plan, Path(folder))).run(_arguments())


def _results(arguments: argparse.Namespace) -> Results:
    iperf3 = output("iperf3", "--version").split()[1]
    return Results.new({"rounds": arguments.rounds, "seconds": arguments.seconds}, iperf3=iperf3)


def _plan(folder: Path, arguments: argparse.Namespace, round_: int) -> Iterator[Measurement]:
    """Yield the measurements of a round. Programs are compiled in the folder."""
    seconds = arguments.seconds
    for carrier in RAW:
        for reverse in (False, True):
            subject = f"{carrier}, {'server to client' if reverse else 'client to server'}"
            for who in in_turn([IPERF3, PERF, TCP], round_):
                yield "transfer", subject, who, lambda c=carrier, r=reverse, w=who: transfer(c, r, w, seconds)
    for carrier in in_turn(CONNECTIONS, round_):
        yield "connections", "one after the other", carrier, lambda c=carrier: connections(c, folder, seconds)


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
    words = parser("make bench-programs", main.__doc__, ROOT / "target" / "bench-programs.json")
    words.add_argument("--rounds", type=int, default=6, help="how often everything is measured; 6")
    words.add_argument("--seconds", type=int, default=3, help="length of a transfer in whole seconds, as for iperf3; 3")
    arguments = words.parse_args()
    for name in ("rounds", "seconds"):
        if (count := getattr(arguments, name)) < 1:
            words.error(f"--{name}: {count}: at least 1")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
