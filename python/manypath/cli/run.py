"""`manypath run`: one simulation of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.cli.file_names import CAPTURED
from manypath.cli.names import events as event_names
from manypath.cli.option_names import as_options
from manypath.cli.output import print_json, print_tables
from manypath.cli.phase import CHECK_PHASE, RUNS, check_phase
from manypath.cli.run_progress import run_progress
from manypath.display import remarks, tables
from manypath.errors import Stopped, UserError
from manypath.measurements import CHANGES, SAMPLES
from manypath.outputs import CAPTURE, EVENTS, FIGURE, Outputs, table
from manypath.run import EVENT, identity
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.run import Result
    from manypath.scenario import Scenario


EVENT_FILE = typer.Option(
    metavar="OUT", help="Write events to this file as JSON lines, about 90 MB for 100,000 data packets."
)
"""The option for the file of events."""

EVENT_NAMES = typer.Option(
    metavar="EVENT",
    help="With --events: write only this event, or the events of a category such as 'recovery'; may be repeated.",
    autocompletion=event_names,
)
"""The option for the names of events."""


def run(
    file: Annotated[
        Path,
        typer.Argument(help="Scenario file in TOML or JSON, - for standard input; quantities have units: '10 Mbit/s'."),
    ],
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 1,
    series: Annotated[
        str | None,
        typer.Option(
            metavar="INTERVAL",
            help="Sampling interval of windows and queues, such as '100 ms'; or 'event' for a sample at each change.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for the samples of --series; the current folder by default.")
    ] = None,
    pcapng: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Capture packets in this pcapng file, for Wireshark.")
    ] = None,
    link: Annotated[list[str] | None, CAPTURED] = None,
    events: Annotated[Path | None, EVENT_FILE] = None,
    only: Annotated[list[str] | None, EVENT_NAMES] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Draw windows and goodput over time in this file: .svg, .pdf or .png."),
    ] = None,
    phase: Annotated[bool, CHECK_PHASE] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results and any samples as JSON.")] = False,
) -> None:
    """Simulate one scenario and print the results of each flow and link."""
    from manypath.run import run as simulate

    _check_parts(link, only, pcapng, events)
    samples = _targets(file, series, output, pcapng, events, plot, as_json)
    from manypath.scenario import Scenario

    scenario = Scenario.from_file(file)
    for remark in scenario.remarks():
        typer.echo(f"remark: {remark}", err=True)
    try:
        duration = (scenario.warmup + scenario.measure) / 1e9
        outputs = [file for file in (pcapng, events) if file is not None]
        with (
            as_options(links="--link", capture="--pcapng"),
            run_progress(duration, outputs) as progress,
        ):
            result = simulate(
                scenario,
                seed=seed,
                series=_interval(scenario) if series is None and plot is not None else series,
                capture=pcapng,
                links=link or (),
                events=events,
                only=only or (),
                progress=progress,
            )
    except KeyboardInterrupt:
        raise Stopped("stopped before the end of the run: it has no result") from None
    if plot is not None:
        _draw(result, plot)
    if as_json:
        head = {**_settings(result, series).document(), "replication": result.replication}
        print_json({**head, **_as_json(result, with_series=series is not None)})
    else:
        _print(result, series, samples, {"plot": plot, "packets": pcapng, "events": events})
    if phase:
        _check_phase(scenario, seed)


def _check_parts(links: list[str] | None, names: list[str] | None, pcapng: Path | None, events: Path | None) -> None:
    """Refuse the links of a capture and the names of events without their files."""
    if links and pcapng is None:
        raise UserError("--link: only valid with --pcapng: give --pcapng OUT, too")
    if names and events is None:
        raise UserError("--only: only valid with --events: give --events OUT, too")


def _check_phase(scenario: Scenario, seed: int) -> None:
    from manypath.campaign import Campaign

    check_phase(Campaign(scenario, replications=RUNS, seed=seed).run(store=None, title="exact hosts"), store=None)


def _print(result: Result, series: str | None, samples: Mapping[str, Path], written: Mapping[str, Path | None]) -> None:
    """Print the tables, write the samples, and print the names of the written files."""
    print_tables(tables(result.outcome))
    if samples:
        from manypath.cli.frame_files import write

        write("--output", {target: result.series[kind] for kind, target in samples.items()})
    for target in samples.values():
        typer.echo(f"samples: {target}")
    for word, target in written.items():
        if target is not None:
            typer.echo(f"{word}: {target}")
    for line in remarks(result.outcome):
        typer.echo(line)
    typer.echo("; ".join([identity(result), *_settings(result, series).told]))


def _targets(
    file: Path,
    series: str | None,
    output: Path | None,
    pcapng: Path | None,
    events: Path | None,
    plot: Path | None,
    as_json: bool,
) -> dict[str, Path]:
    """Check all output files before the simulation; return the files of samples by kind."""
    if output is not None and series is None:
        raise UserError("--output: only valid with --series: give --series, too")
    if output is not None and as_json:
        raise UserError("--output: not valid with --json, which prints the samples: give one of them")
    outputs = Outputs([file])
    if pcapng is not None:
        outputs.file("--pcapng", pcapng, CAPTURE)
    if events is not None:
        outputs.file("--events", events, EVENTS)
    if plot is not None:
        outputs.file("--plot", plot, FIGURE, makes_folder=True)
    if series is None or as_json:
        return {}
    from manypath.scenario.files import stem_of

    folder = outputs.folder("--output", output or Path())
    targets: dict[str, Path] = {}
    for kind in CHANGES if series == EVENT else SAMPLES:
        # Samples may replace changes of an earlier run, and vice versa.
        earlier = table(*(columns[kind] for columns in (CHANGES, SAMPLES) if kind in columns))
        targets[kind] = outputs.file("--output", folder / f"{stem_of(file)}.{kind}.csv", earlier, makes_folder=True)
    return targets


def _settings(result: Result, series: str | None) -> Settings:
    return Settings(result.seed, 1, options={"series": series})


def _as_json(result: Result, *, with_series: bool) -> dict[str, object]:
    """Return the engine's outcome, goodput in bit/s; samples as columns, with None for NaN."""
    said: dict[str, object] = dict(result.outcome)
    if with_series and result.columns:
        said["series"] = {
            name: [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - not a number
            for name, column in result.columns.items()
        }
    return said


def _interval(scenario: Scenario) -> str:
    from manypath.figures.course import interval_for

    return interval_for(scenario)


def _draw(result: Result, target: Path) -> None:
    from manypath.figures import course

    course(result).save(target)
