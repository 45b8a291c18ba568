"""Instructions of the engine for a data packet, which do not vary as time does, counted by valgrind.

`python tests/bench/counting.py` counts a build with the optimisations of users and prints a table. With `--record` it
counts the build of the tests and writes `instructions.toml`, with which the tests compare.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from manypath.bench import ROWS

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("instructions.toml")
TESTED = ROOT / "target/debug/examples/run_document"
RELEASED = ROOT / "target/release/examples/run_document"

SECONDS: Mapping[str, tuple[float, float]] = {
    "A": (5, 10),
    "B/tcp": (0.5, 1),
    "B/mptcp-lia": (0.5, 1),
    "C": (4, 6),
    "D10/newreno": (5, 10),
    "D100/newreno": (1.5, 2),
    "D100+10/split": (1.5, 2),
    "T": (20, 40),
}
"""Rows of the benchmark, each with the lengths of a short and a longer run in simulated seconds.

The difference leaves out what a run does once: it reads the document, opens connections, drains buffers.
"""


def instructions_per_packet(program: Path, row: str, folder: Path) -> float:
    """Return the instructions of a `run_document` for one data packet of a row; `folder` gets the documents."""
    counts = [_count(program, row, seconds, folder) for seconds in SECONDS[row]]
    (few, packets), (many, more_packets) = counts
    return (many - few) / (more_packets - packets)


def _count(program: Path, row: str, seconds: float, folder: Path) -> tuple[int, int]:
    """Return the instructions and the data packets of a run."""
    document = folder / f"{row.replace('/', '-')}-{seconds}.json"
    document.write_text(ROWS[row]().but(warmup="0 s", measure=f"{round(1e9 * seconds)} ns").document())
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    ran = subprocess.run([*counter, program, document], check=True, capture_output=True, text=True)
    (instructions,) = re.findall(r"I +refs: +([\d,]+)", ran.stderr)
    (packets,) = re.findall(r"(\d+) data packets", ran.stdout)
    return int(instructions.replace(",", "")), int(packets)


def recorded() -> tuple[str, dict[str, int]]:
    """Return the compiler and the instructions for each row that `instructions.toml` has."""
    table = tomllib.loads(TABLE.read_text())
    return table["compiler"], table["instructions"]


def compiler() -> str:
    """Return the version of the compiler."""
    rustc = shutil.which("rustc") or "rustc"
    return subprocess.run([rustc, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Count all rows."""
    record = "--record" in sys.argv[1:]
    counts = {row: instructions_per_packet(TESTED if record else RELEASED, row, ROOT / "target") for row in SECONDS}
    if record:
        lines = [f'"{row}" = {count:.0f}' for row, count in counts.items()]
        TABLE.write_text("\n".join([HEAD, f'compiler = "{compiler()}"', "", "[instructions]", *lines, ""]))
    else:
        rows = [f"| `{row}` | {count:,.0f} |" for row, count in counts.items()]
        sys.stdout.write("\n".join(["| row | instructions |", "| --- | ---: |", *rows, ""]))


HEAD = "# Instructions for a data packet in the build of the tests. `make instructions` counts them again."

if __name__ == "__main__":
    main()
