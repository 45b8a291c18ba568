"""`manypath papers`: reproduce papers and print the verdicts on their claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.names import figures, paper_names
from manypath.cli.output import print_json, print_table
from manypath.cli.papers_changed import CHANGE, compare, read_changes, refuse_with_changes
from manypath.cli.papers_summary import summary
from manypath.cli.papers_view import announce_published, plain_comparison, print_claims, settings_of
from manypath.cli.papers_warmup import check_warmup
from manypath.cli.targets import PART, SCHEDULER, STORE, WORKERS, check_store, check_workers, executor_of
from manypath.display import counted, text_columns
from manypath.errors import UserError
from manypath.outputs import writing

if TYPE_CHECKING:
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.paper import Paper
    from manypath.settings import Settings

CAUSES = typer.Option(
    help="Search for causes: further runs for undecided claims, and runs with one change. By default with --full or "
    "--runs, and for papers without published full results."
)
"""The option for causes."""

PUBLISH = typer.Option(
    "--publish", help="With --full or --check-warmup: write the results into the package (for maintainers)."
)
"""The option for publication."""

CHECK_WARMUP = typer.Option(
    "--check-warmup",
    help="Instead of verdicts: check whether the windows of all cases are steady; also of our own studies.",
)
"""The option for the check of windows."""


def papers(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Papers; all of them if none.", autocompletion=paper_names),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(help="Only this figure and the claims about it, such as 4 or 5.10.", autocompletion=figures),
    ] = None,
    changes: Annotated[list[str] | None, CHANGE] = None,
    runs: Annotated[int | None, typer.Option(help="Replications of each scenario, instead of the paper's.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The paper's own grid and repetitions; takes hours.")] = False,
    causes: Annotated[bool | None, CAUSES] = None,
    profiles: Annotated[
        bool | None, typer.Option(help="Check every claim under each accounting profile. By default with --full.")
    ] = None,
    mutations: Annotated[
        bool | None,
        typer.Option(help="Run wrong implementations, and list the claims that detect them. By default with --full."),
    ] = None,
    open_settings: Annotated[
        bool | None,
        typer.Option(
            help="Decide claims over what the text leaves open, where a paper has it. By default with --full."
        ),
    ] = None,
    workers: Annotated[int | None, WORKERS] = None,
    shard: Annotated[str | None, PART] = None,
    dask: Annotated[str | None, SCHEDULER] = None,
    store: Annotated[Path, STORE] = Path("runs"),
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("report"),
    publish: Annotated[bool, PUBLISH] = False,
    warmup: Annotated[bool, CHECK_WARMUP] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every table and claim, and the reasons.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the claims as JSON.")] = False,
) -> None:
    """Reproduce papers: compute missing runs, draw the figures, check every claim, write the report.

    With --set, repeat papers with a change, and print both verdicts on each claim.
    """
    extras = {"causes": causes, "profiles": profiles, "mutations": mutations, "open_settings": open_settings}
    if warmup:
        given = {**extras, "set": changes or None, "shard": shard, "dask": dask, "verbose": verbose}
        check_warmup(names or None, given, figure, runs, full=full, workers=workers, publish=publish, as_json=as_json)
        return
    options = {"figure": figure, "runs": runs, "full": full, **extras}
    others = {"publish": publish, "verbose": verbose, "json": as_json}
    _check_options({**options, "set": changes or None, "workers": workers, "shard": shard, "dask": dask, **others})
    given = read_changes(changes or ())
    from manypath.papers import chosen

    found = chosen(names or None, full=full)
    # After the names, since pandas and matplotlib take a second.
    from manypath.papers.evaluation import narrowed
    from manypath.papers.publishing import check_targets

    check_workers(workers)
    check_store(store)
    wanted = narrowed(found, figure, runs)
    if publish:
        check_targets(wanted)
    where = {"store": store, "workers": workers, "executor": None if dask is None else executor_of(dask, workers)}
    if shard is not None:
        _compute_part(wanted, shard, {"full": full, **extras, **where})
    elif given:
        compare(wanted, given, report, {**options, **where}, as_json=as_json, verbose=verbose)
    else:
        _reproduce(wanted, report, options, where, publish=publish, as_json=as_json, verbose=verbose)


def _reproduce(
    wanted: Sequence[Paper],
    report: Path,
    options: Mapping[str, Any],
    where: Mapping[str, Any],
    *,
    publish: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Run papers, write the report, and print the verdicts."""
    from manypath.papers.evaluation import evaluate
    from manypath.papers.publishing import publish as write_published
    from manypath.report import build, growing
    from manypath.report.targets import check as check_report

    check_report(report, wanted)
    announce_published(wanted)
    evaluation = evaluate(wanted, **options, **where, grow=growing(report, wanted))
    with writing("--report", report):
        page = build(evaluation.papers, report)
    if publish:
        for part in evaluation.papers:
            typer.echo(f"published: {write_published(part)}", err=True)
    _print(evaluation, settings_of(evaluation, **options), page, as_json=as_json, verbose=verbose)


def _print(evaluation: Evaluation, settings: Settings, page: Path, *, as_json: bool, verbose: bool) -> None:
    """Print the summary, after all tables and claims with `verbose`, or one JSON document."""
    from manypath.papers.comparison import compared

    comparisons = compared(evaluation)
    if as_json:
        told = [plain_comparison(name, comparison) for name, comparison in comparisons.items()]
        findings = [
            {"paper": part.paper.name, "says": each.says, "verdicts": dict(each.verdicts)}
            for part in evaluation.papers
            for each in part.paper.findings
        ]
        print_json({**settings.document(), "claims": evaluation.claims, "findings": findings, "published": told})
        return
    if verbose:
        _print_tables(evaluation)
        print_claims(evaluation, comparisons)
    for line in summary(evaluation, comparisons):
        typer.echo(line)
    if not verbose:
        typer.echo("--verbose prints every table and claim, and the reasons")
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def _print_tables(evaluation: Evaluation) -> None:
    """Print the additional tables of the papers."""
    for part in evaluation.papers:
        for table, rows in part.paper.filled_tables(part.evidence):
            typer.echo(table.name)
            print_table(text_columns(*table.head), rows)


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that exclude each other or have no effect together."""
    given = [name for name, value in options.items() if value is not None and value is not False]
    if "dask" in given and "workers" in given:
        raise UserError("--workers: counts threads of this machine, and --dask computes on others: give one of them")
    if "verbose" in given and "json" in given:
        raise UserError("--verbose: has no effect with --json, which prints every claim: leave one of them out")
    if "publish" in given:
        if "full" not in given:
            raise UserError("--publish: needs results with full precision: give --full, too")
        for name in ("figure", "runs", "shard"):
            if name in given:
                raise UserError(f"--publish: needs whole papers, but --{name} runs a part: leave one of them out")
        if options["causes"] is False:
            raise UserError("--publish: needs causes, too: leave --no-causes out")
    if "set" in given:
        refuse_with_changes(given)
    if "shard" in given:
        for name in ("figure", "runs", "json", "verbose"):
            if name in given:
                raise UserError(f"--{name}: has no results with --shard, which computes a part: leave one of them out")


def _compute_part(wanted: Sequence[Paper], shard: str, options: Mapping[str, Any]) -> None:
    """Compute one part, and print how many runs of other parts are missing for the next round."""
    from manypath.papers.parts import compute_part

    store = options["store"]
    for name, missing in compute_part(wanted, shard, **options).items():
        if missing:
            typer.echo(
                f"{name}: part {shard} is complete in {store}; {counted(missing, 'run')} of other parts "
                f"{'is' if missing == 1 else 'are'} missing: merge the stores and give the command again"
            )
        else:
            typer.echo(f"{name}: every run is in {store}; without --shard the command prints the results")
