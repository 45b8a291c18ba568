"""The output of `manypath papers`: claims with published verdicts, profiles, and differences to published runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from manypath import _native
from manypath.cli.output import print_details, print_table
from manypath.display import text_columns
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.papers.comparison import PublishedComparison
    from manypath.papers.evaluation import Evaluation
    from manypath.papers.open_settings.experiment import OverSettings
    from manypath.papers.paper import Paper
    from manypath.papers.profiles import Profiles


def announce_published(papers: Iterable[Paper]) -> None:
    """Print a summary of the published full results of each paper to standard error."""
    from manypath.display import duration
    from manypath.papers.published import load
    from manypath.papers.verdict import tally

    for paper in papers:
        published = load(paper.name)
        if published is not None:
            verdicts = tally(claim.verdict for claim in published.claims.values())
            engine = "" if published.engine == _native.engine_version() else f" by engine {published.engine}"
            typer.echo(
                f"{paper.name}: full results in the package{engine}: {verdicts or 'no claims'}; "
                f"{published.runs:,} runs, {duration(published.cpu_seconds)} of processor time",
                err=True,
            )


def print_claims(evaluation: Evaluation, comparisons: Mapping[str, PublishedComparison]) -> None:
    """Print the claims with both verdicts, details of claims that do not hold, and the comparisons."""
    from manypath.papers.verdict import tally

    claims = evaluation.claims
    if claims:
        has_published = any(claim["published"] for claim in claims)
        print_table(
            text_columns("claim", "place", "verdict", *(["published"] if has_published else []), "the paper says"),
            (
                [
                    claim["id"],
                    claim["place"],
                    claim["verdict"],
                    *([_verdict_of(claim["published"])] if has_published else []),
                    claim["says"],
                ]
                for claim in claims
            ),
        )
    for part in evaluation.papers:
        if part.profiles is not None:
            _print_profiles(part.profiles)
        if part.over is not None:
            _print_over(part.over)
    untried = {part.paper.name for part in evaluation.papers if not part.causes}
    for claim in claims:
        full = _full_results(claim["published"]) if claim["paper"] in untried else ""
        if claim["verdict"] != "holds" or full:
            said = {word: str(claim[word] or "") for word in ("expected", "measured", "why")}
            said["full results"] = full
            print_details(f"{claim['id']} {claim['verdict']}", said)
    for name, comparison in comparisons.items():
        _print_comparison(name, comparison)
    if claims:
        typer.echo(tally(claim["verdict"] for claim in claims))


def plain_comparison(name: str, comparison: PublishedComparison) -> dict[str, Any]:
    """Return a comparison as plain data for JSON."""
    return {
        "paper": name,
        "points": comparison.points,
        "agree": comparison.agree,
        "same": comparison.same,
        "untested": comparison.untested,
        "claims": comparison.claims,
        "same_verdicts": comparison.same_verdicts,
        "opposed": list(comparison.opposed),
        "differ": [
            {
                "experiment": each.case.experiment,
                "factors": dict(each.case.factors),
                "flow": each.flow,
                "here": each.here.plain(),
                "published": each.published.plain(),
                "p_value": each.p_value,
            }
            for each in comparison.differences
        ],
    }


def settings_of(evaluation: Evaluation, **options: Any) -> Settings:
    """Return the settings of the runs; the papers may have different replications."""
    counts = sorted({part.precision.replications for part in evaluation.papers})
    told = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]} replications"
    precisions = list(dict.fromkeys(part.precision.name for part in evaluation.papers))
    first = evaluation.papers[0]
    return Settings(first.seed, told, first.engine, {"precision": precisions, **options})


def _print_comparison(name: str, comparison: PublishedComparison) -> None:
    """Print how many points agree with the published ones, and the points with the smallest p-values."""
    typer.echo(f"{name}: {comparison}")
    if comparison.claims:
        typer.echo(f"{name}: {comparison.of_verdicts()}")
    for difference in comparison.differences[:NAMED]:
        typer.echo(f"  {difference}")
    left = len(comparison.differences) - NAMED
    if left > 0:
        typer.echo(f"  and {left} more, listed by --json")


def _print_profiles(profiles: Profiles) -> None:
    """Print the verdicts under each accounting profile, and mark the claims that depend on it."""
    dependent = profiles.dependent()
    typer.echo("Accounting profiles")
    print_table(
        text_columns("claim", *profiles.names, ""),
        (
            [claim.id, *profiles.verdicts(claim), "depends on the profile" if claim.id in dependent else ""]
            for claim in profiles.claims
        ),
    )


def _print_over(found: OverSettings) -> None:
    """Print the verdicts over the open settings of a paper."""
    from manypath.papers.open_settings.plain import HEAD, rows_of

    settings = "; ".join(f"{each.what}: {' or '.join(value.says for value in each.values)}" for each in found.settings)
    typer.echo(f"Open settings, {len(found.tested)} of {found.plausible} combinations tested: {settings}")
    print_table(text_columns(*HEAD), rows_of(found))


def _full_results(published: Mapping[str, Any] | None) -> str:
    """Return the published result of a claim as text; empty if the claim holds there, or without published results."""
    if published is None or published["verdict"] == "holds":
        return ""
    return f"{published['verdict']} with {published['runs']} runs. {published['why']}".rstrip()


def _verdict_of(published: Mapping[str, Any] | None) -> str:
    return "" if published is None else published["verdict"]


NAMED = 5
"""Largest number of printed differences of a paper."""
