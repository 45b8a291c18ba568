"""`manypath reconstruct`: find the undocumented settings whose runs agree best with a paper."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.cli.names import paper_names
from manypath.cli.output import print_json, print_table
from manypath.cli.targets import STORE, WORKERS, check_store, check_workers
from manypath.display import number_columns, text_columns
from manypath.errors import UserError

if TYPE_CHECKING:
    from manypath.papers.paper import Paper
    from manypath.papers.reconstruction.result import Reconstruction


def reconstruct(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Papers; all of them if none.", autocompletion=paper_names),
    ] = None,
    workers: Annotated[int | None, WORKERS] = None,
    store: Annotated[Path, STORE] = Path("runs"),
    publish: Annotated[
        bool, typer.Option("--publish", help="Write the results into the package, from which the report reads them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Vary the undocumented settings of papers jointly, and fit them to one half of the claims. Takes hours.

    The settings of named papers of one group of authors are also tested on each other.
    """
    from manypath.papers import kept
    from manypath.papers.reconstruction import result as results_of
    from manypath.papers.reconstruction.run import reconstruct as run

    check_workers(workers)
    check_store(store)
    papers = _with_factors(names)
    if publish:
        kept.check_targets((paper.name for paper in papers), results_of.FILE, results_of.KIND)
    results = run(papers, store=store, workers=workers)
    if publish:
        results_of.publish(results)
    if as_json:
        print_json([asdict(result) for result in results])
        return
    for result in results:
        _print(result)


def _with_factors(names: list[str] | None) -> list[Paper]:
    """Return the named papers, and check that they have factors.

    Raises
    ------
    UserError
        If a paper does not exist or has no factors.
    """
    from manypath.papers import chosen

    papers = chosen(names)
    for paper in papers:
        if not paper.factors:
            having = ", ".join(each.name for each in chosen(None) if each.factors)
            raise UserError(f"paper: {paper.name} has no factors to vary: choose from {having}")
    return papers


def _print(result: Reconstruction) -> None:
    """Print the finding, the factors, the scores, and the claims with different verdicts."""
    from manypath.papers.reconstruction.finding import finding

    typer.echo(f"{result.paper}: {finding(result)}")
    print_table(
        [
            *text_columns("factor", "as stated", "changed", "relation to the paper"),
            *number_columns("share of fits"),
            *text_columns("identified level"),
        ],
        (
            [each.name, each.stated, each.changed, each.deviation, f"{each.share:.2f}", each.told]
            for each in result.factors
        ),
    )
    print_table(
        [*text_columns("settings", "found on", "scored on"), *number_columns("found", "as stated", "random")],
        _scores(result),
    )
    moved = [each for each in result.claims if each.stated != each.reconstructed]
    print_table(
        text_columns("claim", "as stated", "reconstructed"),
        ([each.id, each.stated, each.reconstructed] for each in moved),
    )
    typer.echo(
        f"{result.settings} settings, {result.runs:,} runs, {result.replications} of each case; "
        f"seed {result.seed}, engine {result.engine}, digest {result.digest[:16]}"
    )


def _scores(result: Reconstruction) -> list[list[str]]:
    from manypath.papers.reconstruction.score_table import score_table

    return [[", ".join(settings) or "as stated", *texts] for settings, *texts in score_table(result)]
