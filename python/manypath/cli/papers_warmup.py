"""`manypath papers --check-warmup`: whether the windows of all cases of papers and studies are steady."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.output import print_json, print_table
from manypath.cli.targets import check_workers
from manypath.display import number_columns, text_columns
from manypath.errors import UserError

if TYPE_CHECKING:
    from manypath.papers.paper import Paper
    from manypath.papers.steadiness import CheckedWindow


def check_warmup(
    names: list[str] | None,
    others: Mapping[str, Any],
    figure: str | None,
    runs: int | None,
    *,
    full: bool,
    workers: int | None,
    publish: bool,
    as_json: bool,
) -> None:
    """Check the windows of papers and studies, all of them without names, and print a table.

    `others` are the options of `manypath papers` that have no effect here, by name. They are refused.
    """
    for name, value in others.items():
        if value is not None and value is not False:
            raise UserError(f"--{name.replace('_', '-')}: has no effect with --check-warmup: leave one of them out")
    if publish and (full or figure is not None or runs is not None):
        raise UserError("--publish: needs whole quick grids with --check-warmup: leave --full, --figure, --runs out")
    from manypath.papers import chosen, kept, windows
    from manypath.papers.evaluation import narrowed
    from manypath.papers.verdict import FEWEST

    papers = narrowed(chosen(names, full=True), figure, runs)
    if runs is not None and runs < FEWEST:
        raise UserError(f"runs: {runs} is too few for --check-warmup, which tests means: give {FEWEST} or more")
    check_workers(workers)
    if publish:
        kept.check_targets((paper.name for paper in papers), windows.FILE, windows.KIND)
    found: dict[str, list[CheckedWindow]] = {}
    for paper in papers:
        found[paper.name] = _checked(paper, figure, runs, full=full, workers=workers)
        if publish:
            whole = _checked(paper, None, None, full=True, workers=workers, known=found[paper.name])
            typer.echo(f"published: {windows.publish(paper, found[paper.name], whole)}", err=True)
    if as_json:
        print_json([_plain(name, each) for name, checked in found.items() for each in checked])
        return
    print_table(
        [*text_columns("paper", "experiment"), *number_columns(*NUMBERS), *text_columns("steady")],
        [row for name, checked in found.items() for row in _rows(name, checked)],
    )
    for name, checked in found.items():
        for line in _unsteady(name, checked):
            typer.echo(line)


def _checked(
    paper: Paper,
    figure: str | None,
    runs: int | None,
    *,
    full: bool,
    workers: int | None,
    known: Sequence[CheckedWindow] = (),
) -> list[CheckedWindow]:
    """Return the checks of the cases of a paper, and show on standard error how many of them are finished.

    `known` are checks of quick windows. Those of windows that full precision has, too, are not made again.
    """
    from manypath.campaign.progress import progress_on_stderr
    from manypath.papers.paper_evaluation import cases_of
    from manypath.papers.steadiness import check_windows

    precision = paper.precision(full=full)
    have = {each.case: each for each in known if each.same}
    every = cases_of(paper, precision, figure)
    found = [have[case] for case in every if case in have]
    cases = [case for case in every if case not in have]
    counts = {} if runs is None else {"replications": runs, "most": runs}
    display = progress_on_stderr(f"{paper.name}, windows")
    display.begin(len(cases), 0)
    try:
        for each in check_windows(paper, precision, cases, workers=workers, **counts):
            found.append(each)
            display.advance(1)
    finally:
        display.end()
    return found


def _rows(name: str, checked: Sequence[CheckedWindow]) -> Iterator[list[str]]:
    """Yield a row for each experiment: cases, windows, largest truncation, and the number of steady cases."""
    for experiment, group in groupby(checked, lambda each: each.case.experiment):
        cases = [*group]
        first = cases[0]
        cuts = [each.truncation for each in cases if each.truncation is not None]
        steady = sum(each.steady == "steady" for each in cases)
        yield [
            name,
            experiment,
            str(len(cases)),
            *(f"{span / SECOND:g}" for span in (first.window[0], first.window[1] - first.window[0])),
            "the same" if first.same else f"{first.full[0] / SECOND:g} + {(first.full[1] - first.full[0]) / SECOND:g}",
            f"{max(cuts):g}" if cuts else "",
            "all" if steady == len(cases) else f"{steady} of {len(cases)}",
        ]


def _unsteady(name: str, checked: Sequence[CheckedWindow]) -> Iterator[str]:
    """Yield a line for each case that is not shown to be steady, with its worst flow."""
    for each in checked:
        if each.steady != "steady":
            worst = each.rates[0]
            parts = f"its {worst.part} and the rest" if each.same else "the window and the full window"
            cut = "no estimate" if worst.truncation is None else f"{worst.truncation:g} s"
            yield (
                f"{name}: {each.case}: {each.steady}: {worst.flow} has {worst.one.mean():.4g} and "
                f"{worst.other.mean():.4g} Mbit/s in {parts}; {each.replications} runs; MSER-5 suggests {cut}"
            )


def _plain(name: str, each: CheckedWindow) -> dict[str, Any]:
    """Return the check of a case as plain data: times in seconds, rates in Mbit/s."""
    return {
        "paper": name,
        "experiment": each.case.experiment,
        "factors": dict(each.case.factors),
        "window": [time / SECOND for time in each.window],
        "full": [time / SECOND for time in each.full],
        "replications": each.replications,
        "steady": each.steady,
        "flows": [
            {
                "flow": rates.flow,
                "part": rates.part,
                "one": rates.one.tolist(),
                "other": rates.other.tolist(),
                "tolerance": rates.tolerance,
                "truncation": rates.truncation,
            }
            for rates in each.rates
        ],
    }


NUMBERS = ("cases", "warm-up s", "window s", "full s", "truncation s")
"""Columns of numbers."""

SECOND = 1e9
"""Nanoseconds in a second."""
