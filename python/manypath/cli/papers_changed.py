"""`manypath papers --set`: the verdicts on the claims of papers with a change, beside those without it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.output import cropped, print_json, print_table
from manypath.cli.papers_view import settings_of
from manypath.display import Column, number_columns, text_columns
from manypath.errors import UserError, quoted
from manypath.outputs import writing

if TYPE_CHECKING:
    from manypath.papers.changed import ChangedClaim, ChangedPaper
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.paper import Paper


CHANGE = typer.Option(
    "--set",
    metavar="FIELD=VALUE",
    help="Repeat the paper with a change of a field of its scenarios, as in the example below, and compare the "
    "verdicts. Several changes are made together.",
)
"""The option for a change."""


def read_changes(texts: Iterable[str]) -> dict[str, Any]:
    """Return the values by field of texts such as ``flows.cmt.send_buffer=1 MB``.

    A value is one of TOML, or else a text without quotation marks.

    Raises
    ------
    UserError
        If a text has no field or no value, a table or list is invalid TOML, or a field is given twice.
    """
    changes: dict[str, Any] = {}
    for text in texts:
        place, sign, value = (part.strip() for part in text.partition("="))
        if not (place and sign and value):
            raise UserError(
                f"--set: {quoted(text)} is no change: write FIELD=VALUE, as in flows.cmt.send_buffer='1 MB'"
            )
        if place in changes:
            raise UserError(f"--set: {quoted(place)} is given twice: give each field once")
        changes[place] = _value(place, value)
    return changes


def refuse_with_changes(options: Iterable[str]) -> None:
    """Refuse options that have no meaning with `--set`."""
    for name in options:
        if name in WITHOUT_CHANGES:
            effect = WITHOUT_CHANGES[name]
            raise UserError(
                f"--{name.replace('_', '-')}: {effect}, and --set only compares verdicts: leave one of them out"
            )


def compare(
    papers: Sequence[Paper],
    changes: Mapping[str, Any],
    report: Path,
    options: Mapping[str, Any],
    *,
    as_json: bool,
    verbose: bool,
) -> None:
    """Run papers with and without changes, write a page for each into the report, and print both verdicts."""
    from manypath.papers.evaluation import evaluate
    from manypath.papers.given_changes import written
    from manypath.report import build, changed

    changed.check(report, papers)
    evaluation = evaluate(papers, **options, changes=changes)
    compared = {part.paper.name for part in evaluation.papers}
    for paper in papers:
        if paper.name not in compared:
            typer.echo(f"{paper.name}: left out, because no scenario has {' or '.join(changes)}", err=True)
    with writing("--report", report):
        pages = [changed.write(part, report) for part in evaluation.papers]
        build([], report)
    told = {name: value for name, value in options.items() if name in ("figure", "runs", "full")}
    settings = settings_of(evaluation, set=[f"{place}={written(value)}" for place, value in changes.items()], **told)
    if as_json:
        print_json({**settings.document(), "changes": list(_documents(evaluation)), "claims": evaluation.claims})
        return
    for part in evaluation.papers:
        if part.change is not None:
            figure = "" if part.figure is None else f", figure {part.figure}"
            _print(f"{part.paper.name}{figure}", part.change, verbose=verbose)
    typer.echo(settings.line())
    for page in pages:
        typer.echo(f"report: {page}")


def _value(place: str, text: str) -> Any:
    """Return a value as in a scenario file; a text needs no quotation marks."""
    try:
        fields = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise UserError(f"{place}: {quoted(text)} is nested too deeply: give a value with fewer levels") from None
    except ValueError as error:
        # A number of thousands of digits raises no error of TOML.
        if text.startswith(("{", "[", '"', "'")):
            raise UserError(
                f"{place}: {quoted(text)} is no value of TOML ({error}): write it as in a scenario file, such as "
                '{ kind = "red", min = 30, max = 90 }'
            ) from None
        return text
    return fields["value"] if fields.keys() == {"value"} else text


def _documents(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield the change of each paper as plain data for JSON."""
    for part in evaluation.papers:
        if part.change is not None:
            reach = part.change.reach
            yield {
                "paper": part.paper.name,
                "change": part.change.says,
                "changed_scenarios": len(reach.changed),
                "equal_scenarios": reach.equal,
                "scenarios_without_the_field": reach.without,
                "varied_by": {place: list(names) for place, names in reach.varied.items()},
                "claims": len(part.change.claims),
                "changed_verdicts": part.change.turned,
            }


def _print(name: str, change: ChangedPaper, *, verbose: bool) -> None:
    """Print the verdicts of a paper, the estimates of each claim that the change reaches, and the counts."""
    typer.echo(f"{name} with {change.says}: {change.scope()}")
    for remark in change.remarks():
        typer.echo(remark)
    typer.echo(f"{'claim':<9} {'verdict':<12} {'with it':<12} the paper says")
    for each in change.ordered:
        typer.echo(_verdicts(each) if verbose else cropped(_verdicts(each)))
    rows = [row for each in change.ordered if each.reached for row in _estimates(each)]
    if rows:
        print_table(COLUMNS, rows)
    typer.echo(f"{name}: {change.summary()}")


def _verdicts(each: ChangedClaim) -> str:
    """Return a line with both verdicts on a claim; a claim that the change does not reach has one."""
    after = each.after.verdict if each.reached else "not changed"
    return f"{each.claim.id:<9} {each.before.verdict:<12} {after:<12} {each.claim.says}"


def _estimates(each: ChangedClaim) -> Iterator[list[str]]:
    """Yield a row for each part of a claim: required and measured values, and how far the change moves them.

    If there are several parts, those that do not hold have their verdict.
    """
    from manypath.papers.check import joined_measured

    for number, part in enumerate(each.parts):
        name = each.claim.id if number == 0 else ""
        checks = (part.before, part.after)
        alone = len(each.parts) == 1
        marked = [check.measured if alone else joined_measured([(check.measured, check.verdict)]) for check in checks]
        yield [name, part.before.expected, *marked, part.move()]


COLUMNS: tuple[Column, ...] = (
    *text_columns("claim", "the claim requires", "without the change", "with the change"),
    *number_columns("largest move"),
)
"""Columns of the table of estimates."""

WITHOUT_CHANGES = {
    "publish": "writes the results of the paper's own scenarios",
    "shard": "computes a part of the paper's own scenarios",
    "causes": "searches for causes",
    "profiles": "checks claims under accounting profiles",
    "mutations": "runs wrong implementations",
    "open_settings": "runs what a text leaves open",
}
"""Options that are refused with `--set`, with what they do."""
