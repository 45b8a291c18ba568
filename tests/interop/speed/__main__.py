"""`python -m speed`: measure both stacks alternately, store every result, and write the tables."""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

from speed import bulk, flood, handshakes, idle
from speed.command import Benchmark, Measurement, in_turn, parser
from speed.page import MARKS, tables
from speed.program import OURS, USRSCTP, USRSCTP_DEFAULT
from speed.results import Results, output

ROOT = Path(__file__).parents[3]


def main() -> int:
    """Run the requested measurements."""
    # Ten thousand endpoints need more than ten thousand sockets
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return Benchmark(MARKS, tables, _results, _plan).run(_arguments())


def _results(arguments: argparse.Namespace) -> Results:
    settings = {"rounds": arguments.rounds, "seconds": arguments.seconds, "quick": arguments.quick}
    return Results.new(settings, usrsctp=output("pkg-config", "--modversion", "usrsctp"))


def _plan(arguments: argparse.Namespace, round_: int) -> Iterator[Measurement]:
    """Yield the measurements of a round. The first contestant alternates between rounds."""
    seconds, wanted = arguments.seconds, arguments.kinds
    for cell in bulk.CELLS if "bulk" in wanted else []:
        for who in in_turn((OURS, USRSCTP, USRSCTP_DEFAULT), round_):
            yield "bulk", str(cell), who.name, lambda cell=cell, who=who: bulk.measure(cell, who, seconds)
    for count in handshakes.CONCURRENT if "handshakes" in wanted else []:
        for who in in_turn((OURS, USRSCTP), round_):
            yield "handshakes", str(count), who.name, lambda c=count, who=who: handshakes.measure(c, who, seconds)
    length = 2.0 if arguments.quick else 10.0
    if "flood" in wanted and round_ < SHORT_ROUNDS:
        for who in in_turn((OURS, USRSCTP), round_):
            yield "flood", f"flood of {length:g} s", who.name, lambda who=who: flood.measure(who, length)
    if "idle" in wanted and round_ < SHORT_ROUNDS:
        for count in idle.COUNTS[: 1 if arguments.quick else None]:
            for side in idle.SIDES:
                for who in in_turn((OURS, USRSCTP), round_):
                    subject = f"{side}, {count:,}"
                    yield "idle", subject, who.name, lambda c=count, s=side, who=who: idle.measure(s, c, who)


def _arguments() -> argparse.Namespace:
    words = parser("make bench-net", main.__doc__, ROOT / "target" / "bench-net.json")
    words.add_argument("--quick", action="store_true", help="two rounds of half a second: about a minute, and no page")
    words.add_argument("--rounds", type=int, help="how often everything is measured; 7 unless --quick")
    words.add_argument("--seconds", type=float, help="length of a transfer; 3 unless --quick")
    words.add_argument("--only", dest="kinds", nargs="+", choices=KINDS, default=KINDS, help="what is measured; all")
    arguments = words.parse_args()
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 7)
    arguments.seconds = arguments.seconds or (0.5 if arguments.quick else 3.0)
    return arguments


KINDS = ("bulk", "handshakes", "flood", "idle")
SHORT_ROUNDS = 3
"""Rounds of memory measurements. Memory hardly varies, so more rounds are not needed."""

if __name__ == "__main__":
    sys.exit(main())
