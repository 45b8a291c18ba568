"""`manypath report`: write the report again from stored runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.names import figures, paper_names
from manypath.cli.output import print_json
from manypath.cli.papers_view import settings_of
from manypath.cli.targets import check_store
from manypath.errors import UserError
from manypath.outputs import writing

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation


def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Names of papers; all papers in the store if none.", autocompletion=paper_names
        ),
    ] = None,
    figure: Annotated[
        str | None, typer.Option(help="Only this figure and the claims about it.", autocompletion=figures)
    ] = None,
    runs: Annotated[int | None, typer.Option(help="Replications of each scenario, as they were run.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Use runs made with --full.")] = False,
    causes: Annotated[
        bool | None, typer.Option(help="Use runs of the search for causes. By default as for manypath papers.")
    ] = None,
    profiles: Annotated[
        bool | None, typer.Option(help="Include accounting profiles. This and the next two: by default with --full.")
    ] = None,
    mutations: Annotated[bool | None, typer.Option(help="Include wrong implementations.")] = None,
    open_settings: Annotated[bool | None, typer.Option(help="Include what texts leave open.")] = None,
    store: Annotated[Path, typer.Option(help="Folder of results.")] = Path("runs"),
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("report"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the claims as JSON.")] = False,
) -> None:
    """Write the report again from stored results, without new runs. The options that choose runs are as there."""
    from manypath.papers import NAMES, STUDIES, chosen

    wanted = chosen(names or (*NAMES, *STUDIES))
    # After the names, since pandas and matplotlib take a second.
    from manypath.papers.evaluation import Evaluation, evaluate
    from manypath.papers.stored import NotStored
    from manypath.papers.verdict import tally
    from manypath.report import build
    from manypath.report.targets import check

    check(report, wanted)
    if not store.is_dir():
        raise UserError(
            f'store: {store} is not a folder of results: run "manypath papers" first, or name another folder'
        )
    if figure is not None and not names:
        raise UserError(f"figure: {figure} may exist in several papers: name the paper, too")
    check_store(store)
    extras = {"causes": causes, "profiles": profiles, "mutations": mutations, "open_settings": open_settings}
    options = {"figure": figure, "runs": runs, "full": full, **extras}
    parts: list[PaperEvaluation] = []
    absent: list[str] = []
    for name in names or (*NAMES, *STUDIES):
        try:
            parts += evaluate([name], store=store, progress=False, compute=False, **options).papers
        except NotStored as lack:
            command = _command(name, options, store)
            absent.append(f'paper {name}: {lack.own} are not in {store}: "{command}" computes them')
    if absent and (names or not parts):
        raise UserError("\n".join(absent))
    evaluation = Evaluation(parts)
    with writing("--report", report):
        page = build(evaluation.papers, report)
    settings = settings_of(evaluation, **options)
    if as_json:
        print_json({**settings.document(), "claims": evaluation.claims})
        return
    for line in absent:
        typer.echo(f"left out: {line}", err=True)
    for part in parts:
        told = tally(item.check.verdict for item in part.claims)
        typer.echo(f"{part.paper.name}: {told or 'a study of our own'}")
    typer.echo(settings.line())
    typer.echo(f"report: {page}")


def _command(name: str, options: Mapping[str, Any], store: Path) -> str:
    """Return the command that computes the missing runs."""
    words = ["manypath", "papers", name]
    for field, value in options.items():
        option = field.replace("_", "-")
        if value is False and option != "full":
            words.append(f"--no-{option}")
        elif value:
            words.append(f"--{option}" if value is True else f"--{option} {value}")
    return " ".join(words if store == Path("runs") else [*words, f"--store {store}"])
