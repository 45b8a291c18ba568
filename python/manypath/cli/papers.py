"""`manypath papers`: reproduce papers and say which of their claims hold, are contradicted, undecided or open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.names import figures, paper_names
from manypath.cli.output import print_details, print_json, print_table
from manypath.cli.settings import Settings
from manypath.cli.targets import check_store, check_workers
from manypath.outputs import writing

if TYPE_CHECKING:
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.profiles import Profiles


def papers(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Papers; all of them if none.", autocompletion=paper_names),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            help="Only this figure and the claims about it: 4, or 5.10 where chapters count.", autocompletion=figures
        ),
    ] = None,
    runs: Annotated[int | None, typer.Option(help="Replications of each scenario, instead of the paper's.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The paper's own grid and repetitions; takes hours.")] = False,
    profiles: Annotated[
        bool | None, typer.Option(help="Check every claim under each accounting profile. By default with --full.")
    ] = None,
    mutations: Annotated[
        bool | None, typer.Option(help="Run wrong implementations too: which claims notice? By default with --full.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; all cores if not given.")] = None,
    store: Annotated[Path, typer.Option(help="Folder of results; what is there is not computed again.")] = Path("runs"),
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("report"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the claims as JSON.")] = False,
) -> None:
    """Reproduce papers: run what is missing, draw the figures, judge every claim, write the report."""
    from manypath.papers import evaluate
    from manypath.papers.verdict import tally

    check_workers(workers)
    check_store(store)
    evaluation = evaluate(
        names or None,
        figure=figure,
        runs=runs,
        full=full,
        profiles=profiles,
        mutations=mutations,
        store=store,
        workers=workers,
        report=report,
    )
    with writing("--report", report):
        page = evaluation.write_report(report)
    settings = settings_of(evaluation, figure=figure, runs=runs, full=full, profiles=profiles, mutations=mutations)
    if as_json:
        print_json({**settings.document(), "claims": evaluation.claims})
        return
    for part in evaluation.papers:
        for table, rows in part.paper.filled_tables(part.evidence):
            typer.echo(table.name)
            print_table(table.head, rows)
    claims = evaluation.claims
    if claims:
        print_table(
            ["claim", "place", "verdict", "the paper says"],
            ([claim["id"], claim["place"], claim["verdict"], claim["says"]] for claim in claims),
        )
    for part in evaluation.papers:
        if part.profiles is not None:
            _print_profiles(part.profiles)
    for claim in claims:
        if claim["verdict"] != "holds":
            said = {word: str(claim[word] or "") for word in ("expected", "measured", "why")}
            print_details(f"{claim['id']} {claim['verdict']}", said)
    if claims:
        typer.echo(tally(claim["verdict"] for claim in claims))
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def settings_of(evaluation: Evaluation, **options: Any) -> Settings:
    """What the claims rest on; papers have replications of their own."""
    counts = sorted({part.precision.replications for part in evaluation.papers})
    told = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]} replications"
    precisions = list(dict.fromkeys(part.precision.name for part in evaluation.papers))
    first = evaluation.papers[0]
    return Settings(first.seed, told, first.engine, {"precision": precisions, **options})


def _print_profiles(profiles: Profiles) -> None:
    """Show the verdicts under each way of counting windows, and say which claims depend on it."""
    dependent = profiles.dependent()
    typer.echo("Accounting profiles")
    print_table(
        ["claim", *profiles.names, ""],
        (
            [claim.id, *profiles.verdicts(claim), "depends on the profile" if claim.id in dependent else ""]
            for claim in profiles.claims
        ),
    )
