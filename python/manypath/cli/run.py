"""`manypath run`: simulate one scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.cli.output import print_json, print_table
from manypath.cli.settings import Settings
from manypath.errors import Stopped, UserError
from manypath.measurements import CHANGES, SAMPLES
from manypath.outputs import CAPTURE, EVENTS, Outputs, table, writing
from manypath.run import EVENT
from manypath.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

    from manypath.run import Result


def run(
    file: Annotated[Path, typer.Argument(help="Scenario as TOML or JSON; quantities like '10 Mbit/s'.")],
    seed: Annotated[int, typer.Option(help="Fixes every random number of the run.")] = 1,
    series: Annotated[
        str | None,
        typer.Option(
            metavar="INTERVAL",
            help="Sample windows and queues so often, such as '100 ms', or note each change with 'event'.",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder for the samples; the current one if not given.")] = None,
    pcapng: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write packets into this file, for Wireshark.")
    ] = None,
    link: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Capture this link only; may be repeated.")
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Write events into this file as JSON lines, 90 MB for 100,000 packets of data."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EVENT", help="Write this event only, or those of a category as 'recovery'; may be repeated."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome and any samples as JSON.")] = False,
) -> None:
    """Simulate one scenario and print what each flow got."""
    from manypath.run import run as simulate

    samples = _targets(file, series, output, pcapng, events, as_json)
    scenario = Scenario.from_file(file)
    try:
        result = simulate(
            scenario, seed=seed, series=series, capture=pcapng, links=link or (), events=events, only=only or ()
        )
    except KeyboardInterrupt:
        raise Stopped("stopped before the end of the run: there is no result") from None
    if as_json:
        print_json({**_settings(result, series).document(), "replication": result.replication, **_as_json(result)})
        return
    _print_flows(result)
    _print_links(result)
    for kind, frame in result.series.items():
        target = samples[kind]
        with writing("--output", target):
            target.parent.mkdir(parents=True, exist_ok=True)
            frame.to_csv(target, index=False)
        typer.echo(f"samples: {target}")
    if pcapng is not None:
        typer.echo(f"packets: {pcapng}")
    if events is not None:
        typer.echo(f"events: {events}")
    typer.echo(f"digest {result.digest} (seed {seed})")
    typer.echo(_settings(result, series).line())


def _targets(
    file: Path, series: str | None, output: Path | None, pcapng: Path | None, events: Path | None, as_json: bool
) -> dict[str, Path]:
    """Check every file that will be written, before anything runs; return those of the samples by kind."""
    if output is not None and series is None:
        raise UserError("--output: is a folder for samples: give --series, too")
    if output is not None and as_json:
        raise UserError("--output: --json prints the samples, and no file has them: give one of them")
    outputs = Outputs([file])
    if pcapng is not None:
        outputs.file("--pcapng", pcapng, CAPTURE)
    if events is not None:
        outputs.file("--events", events, EVENTS)
    if series is None or as_json:
        return {}
    folder = outputs.folder("--output", output or Path())
    targets: dict[str, Path] = {}
    for kind in CHANGES if series == EVENT else SAMPLES:
        # Samples may replace changes of an earlier run, and the other way round.
        earlier = table(*(columns[kind] for columns in (CHANGES, SAMPLES) if kind in columns))
        targets[kind] = outputs.file("--output", folder / f"{file.stem}.{kind}.csv", earlier, makes_folder=True)
    return targets


def _settings(result: Result, series: str | None) -> Settings:
    return Settings(result.seed, 1, options={"series": series})


def _as_json(result: Result) -> dict[str, object]:
    """The engine's own words, goodput in bit/s; samples as columns, null where nothing was measured yet."""
    said: dict[str, object] = dict(result.outcome)
    if result.columns:
        said["series"] = {
            name: [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - not a number
            for name, column in result.columns.items()
        }
    return said


def _print_flows(result: Result) -> None:
    rows: list[list[str]] = []
    for name, flow in result.flows.iterrows():
        latency = f"{1000 * flow['latency_mean']:.1f}" if flow["delivered_messages"] else ""
        rows.append([str(name), "", f"{flow['goodput']:.3f}", latency, "", "", *_counts(flow)])
        paths = result.paths.xs(name)
        rows += [
            [
                "",
                str(path),
                f"{numbers['goodput']:.3f}",
                "",
                f"{numbers['cwnd']:.0f}",
                f"{1000 * numbers['srtt']:.1f}",
                *_counts(numbers),
            ]
            for path, numbers in paths.iterrows()
        ]
    counts = (count.replace("_", " ") for count in COUNTS)
    print_table(["flow", "path", "goodput Mbit/s", "latency ms", "window B", "RTT ms", *counts], rows)


def _counts(numbers: pd.Series) -> list[str]:
    return [str(int(numbers[count])) for count in COUNTS]


def _print_links(result: Result) -> None:
    print_table(
        ["link", "utilisation %", "mean queue", "delivered", "damaged", "dropped", "lost"],
        (
            [
                str(name),
                f"{100 * link['utilisation']:.1f}",
                f"{link['mean_queue']:.1f}",
                *(str(int(link[count])) for count in ("delivered", "damaged", "dropped", "lost")),
            ]
            for name, link in result.links.iterrows()
        ),
    )


COUNTS = ("window_cuts", "fast_retransmissions", "timeouts")
"""Columns that say what went wrong on the way."""
