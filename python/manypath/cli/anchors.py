"""`manypath anchors`: comparison of simulations with values from theory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from manypath.arguments import each_once
from manypath.cli.names import anchor_families
from manypath.cli.output import print_json, print_table
from manypath.cli.targets import STORE, WORKERS, check_store, check_workers
from manypath.display import number_columns, text_columns
from manypath.errors import UserError, quoted, remedy
from manypath.outputs import writing
from manypath.settings import Settings


def anchors(
    families: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FAMILY]...",
            help="Such as single or sharing; all by default.",
            autocompletion=anchor_families,
        ),
    ] = None,
    workers: Annotated[int | None, WORKERS] = None,
    store: Annotated[Path, STORE] = Path("runs"),
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("report"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Compare simulations with values from theory: expected, measured, verdict. Also writes them to the report."""
    from manypath.anchors import ANCHORS, judge
    from manypath.anchors.judge import SEED
    from manypath.report.anchors import PAGE, check, write

    known = list(dict.fromkeys(anchor.id.split("/")[0] for anchor in ANCHORS))
    for family in families or ():
        if family not in known:
            raise UserError(f"family: {quoted(family)} is no family of anchors: {remedy(family, known)}")
    each_once("family", families or (), "family")
    wanted = [anchor for anchor in ANCHORS if not families or anchor.id.split("/")[0] in families]
    check_workers(workers)
    check_store(store)
    check(report)
    rows = judge(wanted, store=store, workers=workers)
    with writing("--report", report / PAGE):
        page = write(rows, report)
    settings = Settings(SEED, _replications(row.measured.n for row in rows), options={"family": families})
    if as_json:
        print_json({**settings.document(), "anchors": [dict(row.document()) for row in rows]})
        return
    print_table(
        [
            *text_columns("anchor"),
            *number_columns("expected", "measured", "bound"),
            *text_columns("verdict"),
        ],
        (
            [
                row.anchor.id,
                f"{row.anchor.expected:.4g}",
                str(row.measured) if row.measured.n > 1 else f"{row.measured.mean:.4g}",
                f"{row.anchor.bound:.2g} ({row.anchor.within:.2%})",
                row.verdict,
            ]
            for row in rows
        ),
    )
    missed = sum(row.verdict == "missed" for row in rows)
    typer.echo(f"{len(rows) - missed} of {len(rows)} hold")
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def _replications(counts: Iterable[int]) -> int | str:
    """Return the number of replications; the smallest and the largest if anchors differ."""
    different = sorted(set(counts))
    return different[0] if len(different) == 1 else f"{different[0]} to {different[-1]} replications"
