"""`manypath store`: list, show, prune and export the campaigns in a folder of results."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath import _native
from manypath.cli.frame_files import KINDS, filled, write
from manypath.cli.group import Group
from manypath.cli.names import campaigns
from manypath.cli.output import print_details, print_json, print_table
from manypath.display import counted, number_columns, text_columns
from manypath.errors import UserError, quoted

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign.inventory import Inventory, Note
    from manypath.campaign.pruning import Pruning

store = typer.Typer(
    cls=Group,
    help="List, show, prune and export the contents of a folder of results.",
    epilog="Example: manypath store list",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Option("--store", metavar="FOLDER", help="Folder of results.")]
Campaign = Annotated[
    str,
    typer.Argument(
        metavar="CAMPAIGN",
        help="Name or title of a campaign, as printed by `manypath store list`.",
        autocompletion=campaigns,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


class Format(StrEnum):
    """Formats of exported frames."""

    CSV = "csv"
    PARQUET = "parquet"


@store.command("list", epilog="Example: manypath store list --store runs")
def list_(folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """List the campaigns and the engines of a store, with counts and sizes."""
    held = _held(folder)
    notes = [_summary(held, note) for note in held.campaigns]
    engines = _engines(held)
    if as_json:
        print_json({"campaigns": notes, "engines": engines})
        return
    if notes:
        columns = [
            *text_columns("campaign", "title", "engine"),
            *number_columns("scenarios", "runs done", "wanted", "size"),
        ]
        keys = ("campaign", "title", "engine", "scenarios", "done")
        print_table(
            columns, ([*(str(note[key]) for key in keys), _wanted(note), _size(note["bytes"])] for note in notes)
        )
    if not engines:
        typer.echo(f"{folder} holds no results")
        return
    print_table(
        [*text_columns("engine"), *number_columns("runs", "shards", "size"), *text_columns("")],
        (
            [one["engine"], str(one["runs"]), str(one["shards"]), _size(one["bytes"]), "this one" if one["now"] else ""]
            for one in engines
        ),
    )


@store.command(epilog="Example: manypath store show sweep")
def show(campaign: Campaign, folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """Show the settings of a campaign and the numbers of its done and missing runs."""
    held = _held(folder)
    note = held.campaign(campaign)
    summary, done = _summary(held, note), held.done(note)
    rows: list[dict[str, Any]] = [
        {
            "factors": dict(factors),
            "done": done[document],
            "missing": len(note.seeds) * note.count(document) - done[document],
        }
        for document, combinations in note.scenarios.items()
        for factors in combinations
    ]
    settings = {
        "seeds": ", ".join(map(str, sorted(note.seeds))),
        "replications": _replications(note, held.doubtful(note)),
        "precision": _precision(note),
        "engine": note.engine,
        "first run with": ", ".join(f"{name} {version}" for name, version in note.first_run_with.items()),
        "results": f"{summary['done']} of {_wanted(summary)} runs, {_size(summary['bytes'])}",
    }
    if as_json:
        more = {
            "seeds": sorted(note.seeds),
            "replications": note.replications,
            "precision": asdict(note.precision) if note.precision else None,
            "first_run_with": note.first_run_with,
        }
        print_json({**summary, **more, "scenarios": rows})
        return
    print_details(f"{note.name} {note.title}".rstrip(), settings)
    factors = list(rows[0]["factors"]) if rows else []
    print_table(
        [*text_columns(*factors), *number_columns("done", "missing")],
        ([*row["factors"].values(), str(row["done"]), str(row["missing"])] for row in rows),
    )


@store.command(epilog="Example: manypath store prune --other-engines --dry-run")
def prune(
    folder: Folder = Path("runs"),
    campaign: Annotated[
        str | None,
        typer.Option(
            metavar="CAMPAIGN", help="Remove the results that belong only to this campaign.", autocompletion=campaigns
        ),
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Remove the results of this version of an engine or runner.")
    ] = None,
    other_engines: Annotated[
        bool,
        typer.Option("--other-engines", help="Remove the results of all versions of the simulator except this one."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be removed, without removing it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without confirmation.")] = False,
) -> None:
    """Remove results. Files of other programs are kept. --campaign also keeps runs that another campaign uses."""
    from manypath.campaign.pruning import of_campaign, of_engines

    if [campaign is not None, engine is not None, other_engines].count(True) != 1:
        raise UserError("store prune: needs exactly one of --campaign, --engine and --other-engines: give one")
    held = _held(folder)
    if campaign is not None:
        pruning = of_campaign(held, held.campaign(campaign))
    elif engine is not None:
        _check_engine(held, engine)
        pruning = of_engines(held, lambda version: version == engine)
    else:
        # Versions of other runners have the runner's name before a colon.
        pruning = of_engines(held, lambda version: ":" not in version and version != _native.engine_version())
    if not dry_run and (pruning.shards or pruning.notes):
        pruning.check()
    _announce(pruning, dry_run)
    if dry_run or not (pruning.shards or pruning.notes):
        return
    if not yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UserError(
                "--yes: needed without a terminal for the confirmation: give --yes, or --dry-run to see what is removed"
            )
        if not typer.confirm("Remove it?", err=True):
            raise typer.Exit(2)
    left = pruning.do()
    typer.echo(f"removed, except {left} new files of a process that computes in {folder}" if left else "removed")


@store.command(epilog="Example: manypath store export sweep frames --format parquet")
def export(
    campaign: Campaign,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Folder for the files; it is made if missing.")],
    folder: Folder = Path("runs"),
    format_: Annotated[Format, typer.Option("--format", help="Format of the files.")] = Format.CSV,
) -> None:
    """Write the runs of a campaign as tables of flows, streams, paths, links and runs. No file is overwritten."""
    from manypath.outputs import Outputs

    held = _held(folder)
    note = held.campaign(campaign)
    if target.resolve() == folder.resolve():
        raise UserError(f"TARGET: {target} is the store itself: choose another folder")
    Outputs().folder("TARGET", target)
    files = {kind: target / f"{kind}.{format_.value}" for kind in KINDS}
    for file in files.values():
        if file.exists():
            raise UserError(f"TARGET: {file} already exists: choose another folder, or remove it first")
    from manypath.frames import with_none_as_text

    results = held.results(note)
    frames = {kind: _numeric(frame, results.factors) for kind, frame in filled(results)}
    if format_ is Format.CSV:
        frames = {kind: with_none_as_text(frame, results.factors) for kind, frame in frames.items()}
    write("TARGET", {files[kind]: frame for kind, frame in frames.items()})
    for kind, frame in frames.items():
        typer.echo(f"{kind}: {files[kind]}, {len(frame)} rows")
    missing = note.wanted - sum(held.done(note).values())
    if missing:
        typer.echo(f"{missing} of {note.wanted} runs are missing: they are not in the files", err=True)
    doubtful = held.doubtful(note)
    if doubtful:
        typer.echo(
            f"remark: {counted(doubtful, 'run')} in the files may be of another campaign of these scenarios: "
            f"{OLDER}, only that replications 0 to {note.replications - 1} are its own; {COMPLETED}",
            err=True,
        )


def _held(folder: Path) -> Inventory:
    """Return the contents of a store."""
    from manypath.campaign.inventory import Inventory

    return Inventory(folder)


def _summary(held: Inventory, note: Note) -> dict[str, Any]:
    return {
        "campaign": note.name,
        "title": note.title,
        "engine": note.engine,
        "scenarios": len(note.scenarios),
        "done": sum(held.done(note).values()),
        "wanted": note.wanted,
        "has_counts": note.has_counts,
        "bytes": held.size(note),
    }


def _wanted(summary: dict[str, Any]) -> str:
    """Return the number of wanted runs, which notes of older versions do not tell."""
    return str(summary["wanted"]) if summary["has_counts"] else f"{summary['wanted']} or more"


def _replications(note: Note, doubtful: int) -> str:
    """Return the smallest and the largest number of replications of a scenario."""
    if not note.has_counts:
        stored = f"; {counted(doubtful, 'further run')} in the store" if doubtful else ""
        return f"{note.replications} or more: {OLDER}{stored}; {COMPLETED}"
    least, most = min(note.counts.values()), max(note.counts.values())
    return str(most) if least == most else f"{least} to {most}"


def _precision(note: Note) -> str:
    """Return the precision of a campaign; empty without one."""
    if note.precision is None:
        return ""
    rows = ", ".join(f"{name} = {value}" for name, value in note.precision.of.items())
    return f"{note.precision.within} of {note.precision.metric}{f' of {rows}' if rows else ''}"


def _engines(held: Inventory) -> list[dict[str, Any]]:
    runs, shards, sizes = Counter[str](), Counter[str](), Counter[str]()
    for shard in held.shards:
        runs[shard.engine] += len(shard.rows)
        shards[shard.engine] += 1
        sizes[shard.engine] += shard.size
    now = _native.engine_version()
    return [
        {"engine": name, "runs": runs[name], "shards": shards[name], "bytes": sizes[name], "now": name == now}
        for name in runs
    ]


def _check_engine(held: Inventory, engine: str) -> None:
    from manypath.errors import remedy

    known = list(dict.fromkeys([shard.engine for shard in held.shards] + [note.engine for note in held.campaigns]))
    if engine not in known:
        raise UserError(f"--engine: {quoted(engine)} has no results in {held.folder}: {remedy(engine, known)}")


def _announce(pruning: Pruning, dry_run: bool) -> None:
    """Print what is removed."""
    if not (pruning.notes or pruning.shards or pruning.left):
        typer.echo("nothing to remove")
    word = "would remove" if dry_run else "removes"
    for note in pruning.notes:
        typer.echo(f"{word} the note of campaign {note.name} {note.title}".rstrip())
    if pruning.shards:
        typer.echo(
            f"{word} {counted(pruning.runs, 'run')} in {counted(len(pruning.shards), 'shard')}, {_size(pruning.size)}"
        )
    if pruning.doubtful:
        typer.echo(
            f"keeps {counted(pruning.doubtful, 'further run')} of its scenarios: {OLDER}; {COMPLETED}",
            err=True,
        )
    if pruning.left:
        computes = f"a process computes in {pruning.folder}"
        unknown = f"files there cannot be locked, so that it is unknown whether {computes}"
        files = f"{pruning.left} new files" if pruning.is_known else counted(pruning.left, "file")
        typer.echo(f"keeps {files}, because {computes if pruning.is_known else unknown}", err=True)


def _numeric(frame: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Convert factors with only numeric values to numbers; notes store them as texts."""
    import pandas as pd

    changed = frame.copy()
    for name in factors:
        if changed[name].isna().any():
            continue  # None would become NaN
        try:
            numbers = pd.to_numeric(changed[name])
        except ValueError:
            continue
        # The text nan is a name, and 1 and 1.0 are two.
        if not numbers.isna().any() and numbers.nunique() == changed[name].nunique():
            changed[name] = numbers
    return changed


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < STEP:
            return f"{value:.3g} {unit}"
        value /= STEP
    return f"{value:.3g} GB"


OLDER = "the note of an older manypath does not tell how many runs of each scenario are its own"
"""What is not known of a campaign with a note of an older version."""

COMPLETED = "the command of the campaign completes the note"
"""The remedy for such a note."""

STEP = 1000
"""Ratio of consecutive units of sizes."""
