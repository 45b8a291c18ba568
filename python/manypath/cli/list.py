"""`manypath list`: the valid names of algorithms, models, metrics and papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any, get_args

import typer

from manypath import _native
from manypath.cli.names import LISTS, lists
from manypath.cli.output import print_json
from manypath.errors import UserError, quoted, remedy
from manypath.meanings import meaning
from manypath.measurements import MEASUREMENTS
from manypath.papers import NAMES, STUDIES


def list_(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="KIND", help=f"List only one kind of names: {', '.join(LISTS)}.", autocompletion=lists),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lists as JSON.")] = False,
) -> None:
    """List the names to choose from: congestion controls, queues, topologies, metrics, papers and others."""
    if kind is not None and kind not in LISTS:
        raise UserError(f"KIND: {quoted(kind)} is no kind of names: {remedy(kind, LISTS)}")
    kinds = LISTS if kind is None else {kind: LISTS[kind]}
    found = {title: list(_names(word)) for word, title in kinds.items()}
    if as_json:
        print_json({title: [{"name": name, "summary": summary} for name, summary in found[title]] for title in found})
        return
    for title, entries in found.items():
        if kind is None:
            typer.echo(f"{title}:")
        for name, summary in entries:
            typer.echo(f"{'' if kind else '  '}{name:<37} {summary}".rstrip())


def _names(kind: str) -> Iterable[tuple[str, str]]:
    """Return the names of a kind, each with its meaning in a line."""
    return OF_KINDS[kind]() if kind in OF_KINDS else _models(kind)


def _parameters() -> Iterable[tuple[str, str]]:
    for name, key, default, summary in _native.algorithm_parameters():
        yield f"{name}:{key}={default}", summary


def _metrics() -> Iterable[tuple[str, str]]:
    names = dict.fromkeys(name for of_kind in MEASUREMENTS.values() for name in of_kind)
    return [(name, meaning(name)) for name in names]


def _models(kind: str) -> Iterable[tuple[str, str]]:
    """Return the names of a kind that the models of scenarios define."""
    from manypath.scenario import applications, networks

    if kind == "topologies":
        return networks.TOPOLOGIES.items()
    models = get_args(get_args(applications.Application)[0])
    return [(model.model_fields["kind"].default, _does(model)) for model in models]


def _does(application: Any) -> str:
    """Return what an application does, from the first line of its docstring."""
    return (application.__doc__ or "").partition("\n")[0].rstrip(".").removeprefix("An application that ")


def _first_line(package: str) -> str:
    """Return the first line of a package's docstring, which for a paper is its title."""
    return (import_module(package).__doc__ or "").partition("\n")[0]


OF_KINDS: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
    "congestion-controls": _native.algorithms,
    "parameters": _parameters,
    "profiles": _native.profiles,
    "queues": _native.queues,
    "losses": _native.loss_models,
    "schedulers": _native.schedulers,
    "events": _native.events,
    "metrics": _metrics,
    "papers": lambda: [(name, _first_line(f"manypath.papers.{name}")) for name in NAMES],
    "studies": lambda: [(name, _first_line(f"manypath.studies.{name}")) for name in STUDIES],
}
"""Names by kind, without those that the models of scenarios define, because these load slowly."""
