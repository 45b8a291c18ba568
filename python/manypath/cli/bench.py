"""`manypath bench`: speed of the simulator on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from manypath.cli.names import benchmarks
from manypath.cli.output import print_json, print_table
from manypath.display import number_columns, text_columns
from manypath.settings import Settings


def bench(
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCENARIO]...", help="Rows, such as D10 or D10/newreno; all by default.", autocompletion=benchmarks
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Measure the speed of the simulator on one core, in CPU time."""
    from dataclasses import asdict

    from rich.console import Console

    from manypath import _native
    from manypath.bench import SEED, measure, names

    rows = []
    console = Console(stderr=True)
    chosen = names(scenarios or [])
    if _native.has_debug_assertions():
        typer.echo("bench: this is the engine of the tests, which is slower: make build installs the other", err=True)
    for name in chosen:
        with console.status(f"running {name}"):
            rows.append(measure(name))
    settings = Settings(SEED, 1)
    if as_json:
        print_json({**settings.document(), "scenarios": [asdict(row) for row in rows]})
        return
    print_table(
        [
            *text_columns("scenario"),
            *number_columns(
                "packet-hops/s",
                "data packets/s",
                "ns per data packet",
                "simulated s per CPU s",
                "peak memory MB",
            ),
            *text_columns("digest"),
        ],
        (
            [
                row.scenario,
                f"{row.packet_hops_per_second:,.0f}",
                f"{row.data_packets_per_second:,.0f}",
                f"{row.nanoseconds_per_data_packet:,.0f}",
                f"{row.simulated_seconds_per_cpu_second:,.1f}",
                f"{row.peak_memory_bytes / 1e6:.0f}",
                row.digest,
            ]
            for row in rows
        ),
    )
    print_table(
        [*text_columns("scenario", "goodput Mbit/s"), *number_columns("loss rate")],
        ([row.scenario, _goodput(row.goodput), f"{row.loss_rate:.6f}"] for row in rows),
    )
    typer.echo(settings.line())


def _goodput(goodput: Mapping[str, float]) -> str:
    """Return the goodput of each flow, or for many flows the sum, the range and the fairness."""
    if len(goodput) <= FEW_FLOWS:
        return ", ".join(f"{flow} {rate:.3f}" for flow, rate in goodput.items())
    from manypath.stats import jain

    rates = list(goodput.values())
    spread = f"{len(rates)} flows from {min(rates):.3f} to {max(rates):.3f}"
    return f"{sum(rates):.2f} in all, {spread}, Jain's index {jain(rates):.3f}"


FEW_FLOWS = 4
"""Largest number of goodputs in a line."""
