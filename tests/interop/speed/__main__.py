"""`python -m speed`: measure both stacks alternately, store every result, and write the tables."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from network import remove_stale

from speed import bulk, flood, handshakes, idle
from speed.page import MARKS, tables
from speed.program import OURS, USRSCTP, USRSCTP_DEFAULT, Contestant, FailedError
from speed.results import Results, output

ROOT = Path(__file__).parents[3]

Measurement = tuple[str, str, Contestant, Callable[[], dict[str, Any]]]
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
        settings = {"rounds": arguments.rounds, "seconds": arguments.seconds, "quick": arguments.quick}
        results = Results.new(settings, usrsctp=output("pkg-config", "--modversion", "usrsctp"))
        _measure(arguments, results)
    sys.stdout.write(tables(results))
    if arguments.page is not None:
        MARKS.update(arguments.page, tables(results))
    return 0


def _measure(arguments: argparse.Namespace, results: Results) -> None:
    # Ten thousand endpoints need more than ten thousand sockets
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    remove_stale()
    try:
        for round_ in range(arguments.rounds):
            for kind, subject, who, measure in _plan(arguments, round_):
                if results.failure(kind, subject, who.name) is None:
                    results.add(kind, subject, round_, who.name, _try(measure))
                    _progress(round_, arguments.rounds, kind, subject, who, results)
                    results.write(arguments.results)
    except KeyboardInterrupt:
        sys.stderr.write(f"\nstopped; what was measured is in {arguments.results}\n")


def _try(measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return measure()
    except FailedError as failure:
        return {"failed": str(failure)}


def _plan(arguments: argparse.Namespace, round_: int) -> Iterator[Measurement]:
    """Yield the measurements of a round. The first contestant alternates between rounds."""
    seconds, wanted = arguments.seconds, arguments.kinds
    for cell in bulk.CELLS if "bulk" in wanted else []:
        for who in _in_turn((OURS, USRSCTP, USRSCTP_DEFAULT), round_):
            yield "bulk", str(cell), who, lambda cell=cell, who=who: bulk.measure(cell, who, seconds)
    for count in handshakes.CONCURRENT if "handshakes" in wanted else []:
        for who in _in_turn((OURS, USRSCTP), round_):
            yield "handshakes", str(count), who, lambda c=count, who=who: handshakes.measure(c, who, seconds)
    length = 2.0 if arguments.quick else 10.0
    if "flood" in wanted and round_ < SHORT_ROUNDS:
        for who in _in_turn((OURS, USRSCTP), round_):
            yield "flood", f"flood of {length:g} s", who, lambda who=who: flood.measure(who, length)
    if "idle" in wanted and round_ < SHORT_ROUNDS:
        for count in idle.COUNTS[: 1 if arguments.quick else None]:
            for side in idle.SIDES:
                for who in _in_turn((OURS, USRSCTP), round_):
                    subject = f"{side}, {count:,}"
                    yield "idle", subject, who, lambda c=count, s=side, who=who: idle.measure(s, c, who)


def _in_turn(contestants: tuple[Contestant, ...], round_: int) -> list[Contestant]:
    first = round_ % len(contestants)
    return [*contestants[first:], *contestants[:first]]


def _progress(round_: int, rounds: int, kind: str, subject: str, who: Contestant, results: Results) -> None:
    result = results.rounds(kind, subject)[round_][who.name]
    shown = {name: value for name, value in result.items() if isinstance(value, (int, float, str))}
    words = ", ".join(f"{name} {value if isinstance(value, str) else f'{value:,.4g}'}" for name, value in shown.items())
    sys.stderr.write(f"round {round_ + 1} of {rounds}: {kind}, {subject}: {who.name}: {words}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-net ARGS=...", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds of half a second: about a minute, and no page")
    parser.add_argument("--rounds", type=int, help="how often everything is measured; 7 unless --quick")
    parser.add_argument("--seconds", type=float, help="length of a transfer; 3 unless --quick")
    parser.add_argument("--only", dest="kinds", nargs="+", choices=KINDS, default=KINDS, help="what is measured; all")
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "bench-net.json", help="where results go")
    parser.add_argument("--page", type=Path, help="page whose tables are replaced")
    parser.add_argument("--show", action="store_true", help="measure nothing; show what --results has")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 7)
    arguments.seconds = arguments.seconds or (0.5 if arguments.quick else 3.0)
    return arguments


KINDS = ("bulk", "handshakes", "flood", "idle")
SHORT_ROUNDS = 3
"""Rounds of memory measurements. Memory hardly varies, so more rounds are not needed."""

if __name__ == "__main__":
    sys.exit(main())
