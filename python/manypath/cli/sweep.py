"""`manypath sweep`: replicated runs of every combination of factors, with means and confidence intervals."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.file_names import columns, conditions
from manypath.cli.names import metrics
from manypath.cli.output import print_json, print_table
from manypath.cli.phase import CHECK_PHASE, check_phase, check_replications
from manypath.cli.sweep_view import View
from manypath.cli.targets import PART, SCHEDULER, STORE, WORKERS, check_store, executor_of
from manypath.display import counted, number_columns, remarks_of_runs
from manypath.errors import Stopped, UserError
from manypath.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign import Campaign, Results
    from manypath.campaign.sweep import Sweep

PRINTED = typer.Option(metavar="NAME", help="Measurement to print; may be repeated.", autocompletion=metrics)
"""The option for printed measurements."""

DRAWN = typer.Option(help="Measurement of the figure; the first printed one by default.", autocompletion=metrics)
"""The option for the measurement of the figure."""

CHOSEN = typer.Option(
    metavar="NAME=VALUE", help="Print and draw only these rows; may be repeated.", autocompletion=conditions
)
"""The option for conditions."""

COMPARED = typer.Option(
    metavar="NAME=VALUE",
    help="Print and draw paired differences to this value of a factor instead of means.",
    autocompletion=conditions,
)
"""The option for the baseline."""

ALONG = typer.Option(help="Factor on the horizontal axis; the first numeric one by default.", autocompletion=columns)
"""The option for the horizontal axis."""

COLOURED = typer.Option(
    help="Column that determines the colour; the next factor, or the flow, by default.", autocompletion=columns
)
"""The option for the colours of the figure."""

BESIDE = typer.Option(
    "--columns",
    help="Column that has a panel for each value; by default the factor that colours and dotted lines cannot show.",
    autocompletion=columns,
)
"""The option for the panels of the figure."""


def sweep(
    file: Annotated[
        Path,
        typer.Argument(
            help="Sweep file in TOML or JSON (scenario, factors, replications or precision); - for standard input."
        ),
    ],
    store: Annotated[Path, STORE] = Path("runs"),
    workers: Annotated[int | None, WORKERS] = None,
    shard: Annotated[str | None, PART] = None,
    dask: Annotated[str | None, SCHEDULER] = None,
    metric: Annotated[list[str] | None, PRINTED] = None,
    where: Annotated[list[str] | None, CHOSEN] = None,
    baseline: Annotated[str | None, COMPARED] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    frames: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the measurements of every run to CSV files in this folder."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw a figure in this file: .svg, .pdf or .png.")
    ] = None,
    x: Annotated[str | None, ALONG] = None,
    y: Annotated[str | None, DRAWN] = None,
    hue: Annotated[str | None, COLOURED] = None,
    panels: Annotated[str | None, BESIDE] = None,
    warmup: Annotated[
        bool,
        typer.Option("--check-warmup", help="Check with MSER-5 whether the warm-up is long enough; repeats some runs."),
    ] = False,
    phase: Annotated[bool, CHECK_PHASE] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Run without confirmation, also if there are many runs.")] = False,
) -> None:
    """Run every combination of the factors and print means with 95 % intervals; resume an interrupted sweep."""
    from manypath.campaign.combinations import deal
    from manypath.campaign.sweep import Sweep
    from manypath.scenario.files import name_of, stem_of

    drawn = {"--plot": plot, "--x": x, "--y": y, "--hue": hue, "--columns": panels}
    chosen = {"--metric": metric, "--where": where, "--baseline": baseline}
    written = {"--json": as_json, "--csv": as_csv, "--frames": frames, "--check-warmup": warmup, "--check-phase": phase}
    _check_options({**drawn, **chosen, **written, "--dask": dask, "--workers": workers, "--shard": shard})
    plan = Sweep.from_file(file)
    campaign = _sized(plan, yes)
    by = plan.by if plan.by is not None else ("flow",) if plan.runner is None else ()
    origin = ("--metric" if metric else f"{name_of(file)}: metrics", f"{name_of(file)}: by")
    view = View(metric or plan.metrics, by, where or (), baseline, frames, plot, x, y, hue, panels, *origin)
    _check_checks(plan, warmup=warmup, phase=phase)
    if phase:
        check_replications("replications", campaign.replications)
    deal(shard)
    check_store(store)
    view.check(campaign, [file, *plan.inputs], store)
    results = _computed(campaign, store, stem_of(file), workers, dask, shard)
    if shard is not None:
        runs = f"{counted(len(results), 'run')} {'is' if len(results) == 1 else 'are'}"
        told = f"its {runs} in {store}; without --shard the command prints the results of all parts"
        typer.echo(f"part {shard} is done: {told}")
        return
    _show(view, results, _settings(campaign, results, where, baseline), as_json, as_csv)
    if warmup:
        _check_warmup(view.select(results), workers)
    if phase:
        check_phase(view.select(results), store, workers)
    if plot is not None:
        typer.echo(f"figure: {view.picture(view.select(results)).save(plot)}", err=True)


def _show(view: View, results: Results, settings: Settings, as_json: bool, as_csv: bool) -> None:
    """Print the results, and write the frames of all runs on request."""
    results = view.select(results)
    rows = view.rows(results)
    view.write(results, settings)
    if as_json:
        print_json({**settings.document(), "rows": _plain(rows)})
    else:
        _print(rows, results.factors, view.metrics, settings, as_csv)
    for line in remarks_of_runs([outcome for _, outcome in results.outcomes]):
        typer.echo(line, err=True)


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that exclude each other or would have no effect."""
    from manypath.campaign.combinations import repeated, told_twice

    given = [name for name, value in options.items() if value is not None and value is not False and value != []]
    twice = repeated(options["--metric"] or ())
    if twice is not None:
        raise UserError(f"--metric: {told_twice(*twice, 'measurement')}")
    if "--json" in given and "--csv" in given:
        raise UserError("--csv: not valid with --json: give one of them")
    if "--dask" in given and "--workers" in given:
        raise UserError("--workers: not valid with --dask, which computes on other machines: give one of them")
    for name in given:
        if name in FIGURE_OPTIONS and "--plot" not in given:
            raise UserError(f"{name}: only valid with --plot: give --plot OUT, too")
        if "--shard" in given and name not in PART_OPTIONS:
            raise UserError(f"{name}: not valid with --shard, which prints no results: leave one of them out")


def _check_checks(plan: Sweep, *, warmup: bool, phase: bool) -> None:
    """Refuse checks of a sweep that is no simulation, or whose factors have names of their columns."""
    from manypath.campaign import phase as timing
    from manypath.campaign import steadiness
    from manypath.campaign.reserved import check_columns

    checks = (("warmup", warmup, steadiness.COLUMNS), ("phase", phase, timing.COLUMNS))
    for check, wanted, taken in checks:
        if wanted and plan.runner is not None:
            raise UserError(
                f"--check-{check}: only valid for simulations, and the sweep file has another runner: leave it out"
            )
        if wanted:
            check_columns(f"check_{check}", plan.factors, taken)


def _settings(campaign: Campaign, results: Results, where: list[str] | None, baseline: str | None) -> Settings:
    """Return the settings of the results; with a precision the replications differ between scenarios."""
    options = {"where": where, "baseline": baseline}
    replications: int | str = campaign.replications
    if campaign.precision is not None:
        counts = [len(part) for _, part in results.by_scenario()]
        replications = f"{min(counts)} to {max(counts)} replications"
        options["precision"] = campaign.precision.within
    return Settings(campaign.seed, replications, campaign.runner.version, options)


def _sized(plan: Sweep, yes: bool) -> Campaign:
    """Return the campaign; ask for confirmation if it is very large."""
    try:
        return plan.campaign(most=sys.maxsize if yes else ASKED_ABOVE)
    except UserError as error:
        if "runs, more than" not in str(error) or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        typer.echo(str(error), err=True)
        if not typer.confirm("Run them all?", err=True):
            raise typer.Exit(2) from None
        return plan.campaign(most=sys.maxsize)


def _computed(
    campaign: Campaign, store: Path, title: str, workers: int | None, dask: str | None, shard: str | None
) -> Results:
    """Print the size of the campaign and run it."""
    executor = executor_of(dask, workers)
    try:
        _announce(campaign, title, workers, dask)
        return campaign.run(store, executor=executor, title=title, shard=shard)
    except KeyboardInterrupt:
        raise Stopped(f"aborted; finished runs are in {store}: the same command continues from there") from None


def _announce(campaign: Campaign, title: str, workers: int | None, dask: str | None) -> None:
    from manypath.campaign.estimate import estimate, scenarios_told
    from manypath.campaign.executors.local import cores
    from manypath.display import duration

    seconds = None if dask else estimate(campaign, workers)
    at_once = workers or cores()
    about = f": about {duration(seconds)} on {at_once} cores if none is stored" if seconds is not None else ""
    typer.echo(f"{title}: {scenarios_told(campaign)}{about}", err=True)


def _print(
    rows: pd.DataFrame, factors: Sequence[str], metrics: Sequence[str], settings: Settings, as_csv: bool
) -> None:
    """Print a table or CSV, and the settings; with CSV the settings go to standard error."""
    if as_csv:
        from manypath.frames import with_none_as_text

        typer.echo(with_none_as_text(rows, factors).to_csv(index=False), nl=False)
    else:
        _print_means(rows, metrics)
    typer.echo(settings.line(), err=as_csv)


def _print_means(rows: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Print means with intervals, and the numbers of runs: one column for all metrics if they are equal."""
    from manypath.campaign.tables import column_of

    shown = list(dict.fromkeys(metrics))
    counts = ["n"] if len(shown) == 1 else [f"{metric}_n" for metric in shown]
    own = {*shown, *counts, *(f"{metric}_half_width" for metric in shown)}
    names = [name for name in rows.columns if name not in own]
    if all(rows[count].equals(rows[counts[0]]) for count in counts):
        rows, counts = rows.rename(columns={counts[0]: "n"}), ["n"]
    heads = (f"{metric} {UNITS[metric]}" if metric in UNITS else metric for metric in shown)
    print_table(
        [*(column_of(rows, name) for name in names), *number_columns(*heads, *counts)],
        (
            [
                *(str(row[name]) for name in names),
                *(_with_interval(row[metric], row[f"{metric}_half_width"]) for metric in shown),
                *(str(row[count]) for count in counts),
            ]
            for row in rows.to_dict("records")
        ),
    )


def _with_interval(mean: float, half_width: float) -> str:
    if math.isnan(mean):
        return ""
    return f"{mean:.4g}" if math.isnan(half_width) else f"{mean:.4g} ± {half_width:.2g}"


def _plain(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows for JSON, with None for NaN and infinity."""
    return [{str(name): _finite(value) for name, value in row.items()} for row in rows.to_dict("records")]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check_warmup(results: Results, workers: int | None) -> None:
    """Print the flows whose warm-up seems too short, on standard error."""
    from manypath.campaign import check_warmup

    found = check_warmup(results, workers=workers)
    short = found[~found["enough"]]
    typer.echo(f"warm-up: long enough for {len(found) - len(short)} of {len(found)} flows by MSER-5", err=True)
    for row in short.to_dict("records"):
        where = ", ".join(f"{name} = {row[name]}" for name in [*results.factors, "flow"])
        too_short = f"more than {row['limit']:g} s are needed; the run is too short for an estimate"
        need = too_short if math.isnan(row["suggested"]) else f"{row['suggested']:g} s are suggested"
        typer.echo(f"  {where}: {row['configured']:g} s are configured, {need}", err=True)


FIGURE_OPTIONS = ("--x", "--y", "--hue", "--columns")
"""Options of the figure."""

PART_OPTIONS = ("--shard", "--dask", "--workers")
"""Options that are valid with --shard."""

ASKED_ABOVE = 100_000
"""Largest number of runs without confirmation."""

UNITS = {"goodput": "Mbit/s", "throughput": "Mbit/s", "latency_mean": "s", "cwnd": "B", "srtt": "s"}
"""Units of common measurements; docs/reference/measurements.md has all."""
