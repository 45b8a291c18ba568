"""`manypath sweep`: run every combination of some factors, repeatedly, and print means with intervals."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.output import print_json, print_table
from manypath.errors import Stopped, UserError, remedy

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign import Campaign, Results
    from manypath.campaign.executors import Executor
    from manypath.campaign.sweep import Sweep


def sweep(
    file: Annotated[Path, typer.Argument(help="Sweep as TOML or JSON: scenario, factors, replications or precision.")],
    store: Annotated[Path, typer.Option(help="Folder of results; what is there is not computed again.")] = Path("runs"),
    workers: Annotated[int | None, typer.Option(help="Threads; all cores if not given.")] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Compute one of N parts only: on many machines, one part each.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Compute on the workers of this Dask scheduler.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Print this measurement; may be repeated.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Print and draw only these rows; may be repeated.")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="NAME=VALUE", help="Print differences to this value of a factor, pair by pair, instead."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    frames: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write every run's numbers there, as CSV files.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT", help="Draw a figure: .svg, .pdf or .png.")] = None,
    x: Annotated[str | None, typer.Option(help="Factor along the axis; the first one that is numbers.")] = None,
    y: Annotated[str | None, typer.Option(help="Measurement of the figure; the first one that is printed.")] = None,
    hue: Annotated[str | None, typer.Option(help="What has a colour each; the next factor, or the flow.")] = None,
    warmup: Annotated[
        bool, typer.Option("--check-warmup", help="Sample some runs again: is the warm-up long enough? By MSER-5.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, however much there is to do.")] = False,
) -> None:
    """Run every combination of the factors and print means with 95 % intervals. Called again, it goes on."""
    from manypath.campaign.sweep import Sweep

    if as_json and as_csv:
        raise UserError("--csv: --json is there, too: give one of them")
    if dask is not None and workers is not None:
        raise UserError("--workers: counts threads of this machine, and --dask computes on others: give one of them")
    plan = Sweep.from_file(file)
    campaign = _sized(plan, yes)
    try:
        _announce(campaign, file.stem, workers, dask)
        results = campaign.run(store, workers, executor=_executor(dask), title=file.stem, shard=shard)
    except KeyboardInterrupt:
        raise Stopped(f"given up; what was finished is in {store}: the same command goes on from there") from None
    if shard is not None:
        told = f"its {len(results)} runs are in {store}; without --shard the command prints what all parts found"
        typer.echo(f"part {shard} is done: {told}")
        return
    results = _selected(results, where or [])
    metrics = metric or list(plan.metrics)
    by = plan.by if plan.by is not None else ("flow",) if results.has_flows else ()
    rows = table(results, metrics, by) if baseline is None else differences(results, metrics, by, baseline)
    if frames is not None:
        _write_frames(results, frames)
    if as_json:
        print_json({"seed": campaign.seed, "engine": campaign.runner.version, "rows": _plain(rows)})
    elif as_csv:
        typer.echo(rows.to_csv(index=False), nl=False)
    else:
        _print(rows, metrics)
    if warmup:
        _check_warmup(results, workers)
    if plot is not None:
        _draw(results, plot, x, y or metrics[0], hue, by)


def table(results: Results, metrics: list[str], by: tuple[str, ...]) -> pd.DataFrame:
    """One row for each combination of the factors and `by`: mean and half-width of each metric, and `n`."""
    return _side_by_side({metric: results.mean(metric, by=[*results.factors, *by]) for metric in metrics}, "mean")


def differences(results: Results, metrics: list[str], by: tuple[str, ...], baseline: str) -> pd.DataFrame:
    """Rows like those of `table` with the mean differences to a baseline, replication by replication."""
    name, value = _condition("--baseline", baseline, results)
    typer.echo(f"differences to {name} = {value}, pair by pair", err=True)
    found = {metric: results.compare(metric, name, value, by).drop(columns="p_value") for metric in metrics}
    return _side_by_side(found, "difference")


def _side_by_side(found: dict[str, pd.DataFrame], value: str) -> pd.DataFrame:
    """One frame of several that have the same rows, each with a `value` and its half-width."""
    first = next(iter(found.values()))
    rows = first.drop(columns=[value, "half_width", "n"])
    for metric, frame in found.items():
        rows[metric] = frame[value]
        rows[f"{metric}_half_width"] = frame["half_width"]
    return rows.assign(n=first["n"])


def _sized(plan: Sweep, yes: bool) -> Campaign:
    """The campaign, if it is not larger than anybody means, or if the user means it."""
    try:
        return plan.campaign(most=sys.maxsize if yes else ASKED_ABOVE)
    except UserError as error:
        if "runs, more than" not in str(error) or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        typer.echo(str(error), err=True)
        if not typer.confirm("Run them all?", err=True):
            raise typer.Exit(2) from None
        return plan.campaign(most=sys.maxsize)


def _announce(campaign: Campaign, title: str, workers: int | None, dask: str | None) -> None:
    from manypath.campaign.estimate import estimate, scenarios_told
    from manypath.campaign.executors.local import cores
    from manypath.campaign.progress import duration

    seconds = None if dask else estimate(campaign, workers)
    at_once = workers or cores()
    about = f": about {duration(seconds)} on {at_once} cores if none is stored" if seconds is not None else ""
    typer.echo(f"{title}: {scenarios_told(campaign)}{about}", err=True)


def _executor(address: str | None) -> Executor | None:
    if address is None:
        return None
    from manypath.campaign.executors.dask import connect

    return connect(address)


def _selected(results: Results, conditions: list[str]) -> Results:
    for condition in conditions:
        name, value = _condition("--where", condition, results)
        results = results.select(**{name: value})
    return results


def _condition(option: str, condition: str, results: Results) -> tuple[str, Any]:
    """Read ``NAME=VALUE`` as a factor and one of its values."""
    name, equals, text = condition.partition("=")
    if not equals:
        raise UserError(f'{option}: "{condition}" is no condition: write NAME=VALUE')
    known = {str(value): value for value in results.levels(name)}
    if text not in known:
        raise UserError(f'{option}: "{text}" is no value of {name}: {remedy(text, known)}')
    return name, known[text]


def _print(rows: pd.DataFrame, metrics: list[str]) -> None:
    names = [name for name in rows.columns if name != "n" and name.removesuffix("_half_width") not in metrics]
    heads = [*names, *(f"{metric} {UNITS[metric]}" if metric in UNITS else metric for metric in metrics), "n"]
    print_table(
        heads,
        (
            [
                *(str(row[name]) for name in names),
                *(_with_interval(row[metric], row[f"{metric}_half_width"]) for metric in metrics),
                str(row["n"]),
            ]
            for row in rows.to_dict("records")
        ),
    )


def _with_interval(mean: float, half_width: float) -> str:
    return f"{mean:.4g}" if math.isnan(half_width) else f"{mean:.4g} ± {half_width:.2g}"


def _plain(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows for JSON, which has no word for what is not a number."""
    return [{str(name): _finite(value) for name, value in row.items()} for row in rows.to_dict("records")]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check_warmup(results: Results, workers: int | None) -> None:
    """Name the flows whose warm-up seems too short, on standard error."""
    from manypath.campaign import check_warmup

    found = check_warmup(results, workers=workers)
    short = found[~found["enough"]]
    typer.echo(f"warm-up: long enough for {len(found) - len(short)} of {len(found)} flows, says MSER-5", err=True)
    for row in short.to_dict("records"):
        where = ", ".join(f"{name} = {row[name]}" for name in [*results.factors, "flow"])
        need = (
            "the run is too short to tell" if math.isnan(row["suggested"]) else f"{row['suggested']:g} s are suggested"
        )
        typer.echo(f"  {where}: {row['configured']:g} s are configured, {need}", err=True)


def _write_frames(results: Results, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("flows", "paths", "links", "runs"):
            frame: pd.DataFrame = getattr(results, name)
            if not frame.empty:
                frame.to_csv(folder / f"{name}.csv", index=False)
                typer.echo(f"runs: {folder / name}.csv", err=True)
    except OSError as error:
        raise UserError(f"--frames: {folder} cannot be written ({error.strerror}): choose another folder") from None


def _draw(results: Results, target: Path, x: str | None, y: str, hue: str | None, by: tuple[str, ...]) -> None:
    from manypath.figures import lines

    frame, factors = results.rows_of(y, by), list(results.factors)
    along = x or next((name for name in factors if _has_numbers(results.levels(name))), next(iter(factors), None))
    if along is None:
        raise UserError("--plot: there is no factor to draw over: name a column with --x")
    rest = [name for name in [*factors, *by] if name != along and frame[name].nunique() > 1]
    colour = hue or next(iter(rest), None)
    style = next((name for name in rest if name != colour), None)
    picture = lines(frame, x=along, y=y, color=colour, style=style)
    typer.echo(f"figure: {picture.save(target)}", err=True)


def _has_numbers(levels: list[Any]) -> bool:
    from manypath.figures.axis import Axis

    return not Axis.of(levels).words


ASKED_ABOVE = 100_000
"""More runs than these are asked for first."""

UNITS = {"goodput": "Mbit/s", "throughput": "Mbit/s", "latency_mean": "s", "cwnd": "B", "srtt": "s"}
"""Units of measurements that are often printed; the page about measurements has all."""
