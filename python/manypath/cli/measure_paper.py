"""`manypath measure dreibholz2012`: several stacks run a paper's experiments, which are compared with simulations."""

from __future__ import annotations

import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.measure_grid import announce_missing, finite, interval, verdict
from manypath.cli.measure_options import DISTURBED, Options
from manypath.cli.output import print_json, print_table
from manypath.display import number_columns, text_columns
from manypath.outputs import writing
from manypath.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manypath.testbed.calibration import Calibration
    from manypath.testbed.paper_plan import PaperPlan, PlannedPoint


def measure_paper(options: Options, stacks: Sequence[str] | None) -> None:
    """Measure the runs of a paper's experiments that the store lacks, and write its page."""
    from manypath.report.measured_pages import page_of
    from manypath.report.measured_paper import check, write
    from manypath.testbed.calibration import calibrated
    from manypath.testbed.paper_grid import PAPER_GRIDS
    from manypath.testbed.paper_plan import PaperPlan
    from manypath.testbed.publishing import publish as publish_runs

    name, store, quick, seed = options.scenario, options.store, options.quick, options.seed
    grid = PAPER_GRIDS[name]
    at_once, tries = options.at_once or grid.at_once, options.most_tries
    check(grid, name, options.pages)
    plan = PaperPlan(grid, stacks=stacks, controls=options.cc, quick=quick, runs=options.runs, seed=seed, tries=tries)
    try:
        # The calibration takes minutes, so invalid scenarios and missing programs are reported before it.
        plan.prepare(at_once)
        _announce(plan, store, at_once)
        calibration = calibrated(store, quick=quick, tell=lambda text: typer.echo(text, err=True))
        points = plan.run(store, at_once)
    except KeyboardInterrupt:
        raise options.stopped from None
    versions = {stack: runner.version for stack, runner in plan.runners.items()}
    given = {"testbed": list(versions.values()), "cc": options.cc, "quick": quick, "at once": at_once, "tries": tries}
    settings = Settings(seed, plan.runs, options=given)
    with writing("--report", options.pages / page_of(name)):
        page = write(name, plan, points, calibration, settings, options.pages)
    if options.publish:
        written = publish_runs(plan, points, calibration=calibration, target=options.publish)
        typer.echo(f"{options.publish}: {written} runs of {grid.title}", err=True)
    if options.as_json:
        calibrated_as = asdict(calibration)
        print_json({"scenario": name, **settings.document(), "calibration": calibrated_as, "rows": plain(points)})
        return
    _print(plan, points, calibration)
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def _announce(plan: PaperPlan, store: Path, at_once: int) -> None:
    """Print the expected duration before the first measurement."""
    if not announce_missing(plan.missing(store), plan.size, at_once):
        return
    processors = os.cpu_count() or 1
    if at_once > MOST_PER_PROCESSOR * processors:
        typer.echo(
            f"this machine has {processors} processors: fewer measurements at once (--at-once) are disturbed less",
            err=True,
        )


def _print(plan: PaperPlan, points: Sequence[PlannedPoint], calibration: Calibration) -> None:
    print_table(
        [
            *text_columns("case", "stack", "flow"),
            *number_columns("measured", "simulated", "ratio", "90 % interval"),
            *text_columns("within 10 %"),
            *number_columns("runs", "marked"),
        ],
        (
            [
                str(point.case),
                plan.grid.stacks[point.stack],
                flow,
                interval(found.measured, found.measured_half_width),
                interval(found.simulated, found.simulated_half_width),
                _number(found.ratio),
                f"{_number(found.low)} to {_number(found.high)}",
                found.word,
                str(found.runs),
                str(len(point.marks)),
            ]
            for point in points
            for flow, found in point.goodput.items()
        ),
    )
    typer.echo("Goodput at the receiver in Mbit/s with 95 % intervals; measured and simulated runs have equal seeds.")
    for stack in plan.stacks:
        verdicts = [each.word for point in points if point.stack == stack for each in point.goodput.values()]
        counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("equivalent", "different", "open"))
        typer.echo(f"{plan.grid.stacks[stack]}: {counts}")
    if any(point.marks for point in points):
        typer.echo(DISTURBED)
    for doubt in calibration.doubts(plan.grid.fastest):
        typer.echo(doubt)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def plain(points: Sequence[PlannedPoint]) -> list[dict[str, Any]]:
    """Return points for JSON, with null for numbers that are not finite."""
    return [
        finite(
            {
                "experiment": point.case.experiment,
                "factors": dict(point.case.factors),
                "stack": point.stack,
                "again": point.again,
                "marks": list(point.marks),
                "goodput": {flow: verdict(found) for flow, found in point.goodput.items()},
            }
        )
        for point in points
    ]


MOST_PER_PROCESSOR = 5
"""Number of concurrent measurements per processor above which a warning is printed."""
