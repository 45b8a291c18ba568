"""`manypath measure sctp`: measures and simulates a grid of scenarios, and writes a page of the report."""

from __future__ import annotations

import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.measure_options import DISTURBED, Options
from manypath.cli.output import print_json, print_table
from manypath.display import duration, number_columns, text_columns
from manypath.outputs import writing
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.testbed.calibration import Calibration
    from manypath.testbed.grid import GridCell, Size
    from manypath.testbed.paper_grid import PaperSize
    from manypath.testbed.plan import Further, Plan
    from manypath.testbed.verdict import Verdict


def measure_grid(options: Options, stack: str) -> None:
    """Measure the runs of a grid that the store lacks, and write its page."""
    from manypath.report.measured import check, write
    from manypath.report.measured_pages import page_of
    from manypath.testbed import GRIDS, Plan
    from manypath.testbed.calibration import calibrated

    name, store, quick, seed = options.scenario, options.store, options.quick, options.seed
    at_once, tries = options.at_once or AT_ONCE, options.most_tries
    title = "-".join([name, *(["udp"] if options.udp else []), *([stack] if stack != STACK else [])])
    check(title, options.pages)
    plan = Plan(
        GRIDS[name],
        quick=quick,
        udp=options.udp,
        runs=options.runs,
        most=options.most,
        seed=seed,
        tries=tries,
        stack=stack,
    )
    try:
        # The calibration takes minutes, so invalid scenarios and missing programs are reported before it.
        plan.measured.runner.prepare(plan.measured.cells, at_once)
        _announce(plan, store, at_once)
        calibration = calibrated(store, quick=quick, tell=lambda text: typer.echo(text, err=True))
        cells = plan.run(store, at_once, lambda further: _announce_more(further, plan, at_once))
    except KeyboardInterrupt:
        raise options.stopped from None
    given = {"testbed": plan.measured.runner.version, "quick": quick, "udp": options.udp}
    settings = Settings(seed, plan.runs, options={**given, "at once": at_once, "tries": tries})
    with writing("--report", options.pages / page_of(title)):
        page = write(title, plan, cells, calibration, settings, options.pages)
    if options.as_json:
        print_json(
            {"scenario": name, **settings.document(), "calibration": asdict(calibration), "rows": plain(cells, stack)}
        )
        return
    _print(cells, calibration, stack)
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def announce_missing(runs: int, size: Size | PaperSize, at_once: int) -> bool:
    """Print the number and the expected duration of missing measurements; return whether there are any."""
    if runs:
        time = duration(size.seconds(runs, at_once))
        length = f"{size.warmup + size.measure:g} s each, {at_once} at once"
        typer.echo(f"{runs} measurements are missing, {length}: about {time}, more if runs are repeated", err=True)
    return bool(runs)


def _announce(plan: Plan, store: Path, at_once: int) -> None:
    """Print the expected duration before the first measurement."""
    if not announce_missing(plan.missing(store), plan.size, at_once):
        return
    if len(plan.looks) > 1:
        typer.echo(f"open cells then get more runs, up to {plan.looks[-1].runs} each", err=True)
    if at_once > 2 * (os.cpu_count() or 1):
        typer.echo(
            f"this machine has {os.cpu_count()} processors: fewer measurements at once (--at-once) are disturbed less",
            err=True,
        )


def _announce_more(further: Further, plan: Plan, at_once: int) -> None:
    """Print the expected duration of further runs of open cells before they begin."""
    if not further.most:
        return
    cells = "1 cell is" if further.cells == 1 else f"{further.cells} cells are"
    looks = [_length("next", further.runs, further.missing, plan, at_once)] if further.missing else []
    if further.most > further.missing:
        looks.append(_length("last", plan.looks[-1].runs, further.most, plan, at_once))
    typer.echo(f"{cells} open after {further.before} runs: {'; '.join(looks)}", err=True)


def _length(which: str, runs: int, missing: int, plan: Plan, at_once: int) -> str:
    time = duration(plan.size.seconds(missing, at_once))
    return f"{which} look after {runs} runs of each, {missing} measurements, about {time}"


def _print(cells: list[GridCell], calibration: Calibration, stack: str) -> None:
    axes = list(cells[0].factors)
    from manypath.testbed.grid import FASTEST

    print_table(
        [
            *text_columns(*axes, "stack"),
            *number_columns("measured", "simulated", "ratio", "interval", "at"),
            *text_columns("within 10 %"),
            *number_columns("runs", "again", "marked"),
        ],
        (
            [
                *(str(cell.factors[axis]) for axis in axes),
                stack,
                interval(cell.goodput.measured, cell.goodput.measured_half_width),
                interval(cell.goodput.simulated, cell.goodput.simulated_half_width),
                f"{cell.goodput.ratio:.3f}",
                f"{cell.goodput.low:.3f} to {cell.goodput.high:.3f}",
                f"{100 * cell.goodput.confidence:.3g} %",
                cell.goodput.word,
                str(cell.goodput.runs),
                str(cell.again),
                str(len(cell.marks)),
            ]
            for cell in cells
        ),
    )
    typer.echo(
        "Goodput at the receiver in Mbit/s with 95 % intervals; the verdict depends on the interval of their ratio."
    )
    others = [cell for cell in cells if cell.goodput.word != "equivalent"]
    typer.echo(f"{len(cells) - len(others)} of {len(cells)} cells are equivalent within 10 %")
    for cell in others:
        typer.echo(f"not shown to be equivalent: {cell.name} ({cell.goodput.word})")
    if any(cell.marks for cell in cells):
        typer.echo(DISTURBED)
    for doubt in calibration.doubts(FASTEST):
        typer.echo(doubt)


def interval(mean: float, half_width: float) -> str:
    """Return a mean with the half width of its confidence interval as a text."""
    return f"{mean:.3f}" if math.isnan(half_width) else f"{mean:.3f} ± {half_width:.3f}"


def plain(cells: list[GridCell], stack: str) -> list[dict[str, Any]]:
    """Return cells for JSON, with the stack that ran their flows, and with null for numbers that are not finite."""
    return [finite({**asdict(cell), "stack": stack, "goodput": verdict(cell.goodput)}) for cell in cells]


def verdict(found: Verdict) -> dict[str, Any]:
    """Return a verdict for JSON, with its ratio, number of runs and confidence level."""
    computed = {"ratio": found.ratio, "runs": found.runs, "confidence": found.confidence}
    return {**asdict(found), **computed}


def finite(value: Any) -> Any:
    """Return a value with None for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


AT_ONCE = 4
"""Default number of concurrent measurements. Each needs a small part of a processor."""

STACK = "manypath"
"""Default stack of grids."""
