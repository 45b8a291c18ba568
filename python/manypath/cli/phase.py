"""`--check-phase`: prints which goodputs depend on hosts that are exact to the nanosecond."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manypath.errors import UserError

if TYPE_CHECKING:
    from manypath.campaign import Results

CHECK_PHASE = typer.Option(
    "--check-phase",
    help="Check whether goodputs on full drop-tail queues depend on exactly timed hosts; repeats runs with jitter.",
)
"""The option for the check."""

RUNS = 10
"""Replications of the check."""


def check_replications(field: str, count: int) -> None:
    """Refuse a number of replications that has no interval, before the first run."""
    from manypath.campaign.phase import FEWEST

    if count < FEWEST:
        raise UserError(f"{field}: {count} is too few for --check-phase, which compares means: give {FEWEST} or more")


def check_phase(results: Results, store: Path | None, workers: int | None = None) -> None:
    """Print the goodputs that change with jitter of the hosts by more than their intervals, on standard error."""
    from manypath.campaign.phase import check_phase as check

    found = check(results, replications=RUNS, store=store, workers=workers, progress=True)
    if found.empty:
        typer.echo("phase: no drop-tail queue was full, so no goodput depends on exactly timed hosts", err=True)
        return
    changed = found[found["depends"]]
    typer.echo(
        f"phase: with jitter of the hosts, {len(changed)} of {len(found)} goodputs change by more than their interval",
        err=True,
    )
    for row in changed.to_dict("records"):
        where = ", ".join(f"{name} = {row[name]}" for name in [*results.factors, "flow"])
        change = f"{row['difference']:+.2f} ± {row['half_width']:.2f}"
        typer.echo(f"  {where}: {row['exact']:.2f} Mbit/s, with jitter {row['jittered']:.2f} ({change})", err=True)
    if len(changed):
        typer.echo(f"  {REMEDY}", err=True)


REMEDY = (
    "shares on these drop-tail queues depend on hosts that are exact to the nanosecond: give network.access a jitter, "
    "or use another queue"
)
"""What to do about it."""
