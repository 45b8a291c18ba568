"""`manypath measure failover`: measures and simulates how stacks recover from a path that goes down and up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.measure_grid import finite
from manypath.cli.measure_options import DISTURBED, Options
from manypath.cli.output import print_json, print_table
from manypath.display import duration, number_columns, text_columns
from manypath.outputs import writing
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.testbed.recovery import Recovery, Times


def measure_recovery(options: Options) -> None:
    """Measure the runs that the store lacks, and write the page."""
    from manypath.report.measured_pages import page_of
    from manypath.report.measured_recovery import check, write
    from manypath.testbed.calibration import calibrated
    from manypath.testbed.recovery import FASTEST, RecoveryPlan

    name, store, quick, seed = options.scenario, options.store, options.quick, options.seed
    at_once, tries = options.at_once or AT_ONCE, options.most_tries
    check(name, options.pages)
    plan = RecoveryPlan(stacks=options.stack, quick=quick, runs=options.runs, seed=seed, tries=tries)
    try:
        # The calibration takes minutes, so missing programs are reported before it.
        plan.prepare(at_once)
        if missing := plan.missing(store):
            time = duration(plan.seconds(missing, at_once))
            typer.echo(f"{missing} measurements are missing: about {time}, more if runs are repeated", err=True)
        calibration = calibrated(store, quick=quick, tell=lambda text: typer.echo(text, err=True))
        found = plan.run(store, at_once)
    except KeyboardInterrupt:
        raise options.stopped from None
    versions = [runner.version for runner in plan.runners.values()]
    given = {"testbed": versions, "quick": quick, "at once": at_once, "tries": tries}
    settings = Settings(seed, plan.runs, options=given)
    with writing("--report", options.pages / page_of(name)):
        page = write(name, found, calibration, settings, options.pages)
    if options.as_json:
        print_json({"scenario": name, **settings.document(), "calibration": asdict(calibration), "rows": plain(found)})
        return
    _print(found)
    for doubt in calibration.doubts(FASTEST):
        typer.echo(doubt)
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def _print(found: Sequence[Recovery]) -> None:
    from manypath.report.measured_recovery import mean
    from manypath.testbed.recovery import DOWN, UP

    headings = ["resumed, measured", "simulated", "rejoined, measured", "simulated"]
    print_table(
        [*text_columns("contestant"), *number_columns(*headings, "runs", "again", "marked")],
        (
            [
                each.contestant.title,
                *(
                    mean([getattr(run, time) for run in runs], since)
                    for time, since in (("resumed", DOWN), ("rejoined", UP))
                    for runs in (each.measured, each.simulated)
                ),
                str(len(each.measured)),
                str(each.again),
                str(len(each.marks)),
            ]
            for each in found
        ),
    )
    typer.echo(
        "Seconds with 95 % intervals, in steps of 0.1 s. Resumed: from the failure of the path to the end of the"
    )
    typer.echo(
        "last silence of the receiver that began before the path was up again. Rejoined: from then until the path"
    )
    typer.echo("carries data.")
    if any(each.marks for each in found):
        typer.echo(DISTURBED)


def plain(found: Sequence[Recovery]) -> list[dict[str, Any]]:
    """Return results for JSON."""

    def times(run: Times) -> dict[str, Any]:
        return finite({**asdict(run), "course": [round(rate, 3) for rate in run.course.tolist()]})

    return [
        {
            "contestant": each.contestant.title,
            "stack": each.contestant.stack,
            "measured": [times(run) for run in each.measured],
            "simulated": [times(run) for run in each.simulated],
        }
        for each in found
    ]


AT_ONCE = 2
"""Default number of concurrent measurements: the flows of one stack."""
