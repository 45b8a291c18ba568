"""`manypath list`: the valid names of algorithms, models, metrics and papers."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, get_args

import typer

from manypath import _native
from manypath.cli.output import print_json
from manypath.measurements import MEASUREMENTS
from manypath.papers import NAMES, STUDIES


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print the lists as JSON.")] = False,
) -> None:
    """List the names to choose from: congestion controls, queues, topologies, metrics, papers and others."""
    from manypath.scenario import applications, networks, tcp

    kinds = {
        "congestion controls": _native.algorithms(),
        "parameters of congestion controls": [
            (f"{name}:{key}={default}", summary) for name, key, default, summary in _native.algorithm_parameters()
        ],
        "accounting profiles": _native.profiles(),
        "queues": _native.queues(),
        "loss models": _native.loss_models(),
        "applications": [
            (kind.model_fields["kind"].default, _line(kind)) for kind in _members(applications.Application)
        ],
        "schedulers of Multipath TCP": [
            (name, "") for name in get_args(tcp.Mptcp.model_fields["scheduler"].annotation)
        ],
        "topologies": [(name, _line(getattr(networks, name))) for name in networks.SHORT_FORMS],
        "events": _native.events(),
        "metrics": _metrics(),
        "papers": [(name, _first_line(f"manypath.papers.{name}")) for name in NAMES],
        "studies of our own": [(name, _first_line(f"manypath.studies.{name}")) for name in STUDIES],
    }
    if as_json:
        print_json({kind: [{"name": name, "summary": summary} for name, summary in kinds[kind]] for kind in kinds})
        return
    for kind, entries in kinds.items():
        typer.echo(f"{kind}:")
        for name, summary in entries:
            typer.echo(f"  {name:<37} {summary}".rstrip())


def _metrics() -> list[tuple[str, str]]:
    """Return the measurements, each with its kinds of rows."""
    of: dict[str, list[str]] = {}
    for kind, names in MEASUREMENTS.items():
        for name in names:
            of.setdefault(name, []).append(kind)
    return [(name, f"of {', '.join(kinds)}") for name, kinds in of.items()]


def _members(union: Any) -> tuple[Any, ...]:
    """Return the alternative models of a field."""
    return get_args(get_args(union)[0])


def _line(thing: Any) -> str:
    """Return the first line of a docstring, without its full stop."""
    return (thing.__doc__ or "").partition("\n")[0].rstrip(".").replace("``", "")


def _first_line(package: str) -> str:
    """Return the first line of a package's docstring, which for a paper is its title."""
    return (import_module(package).__doc__ or "").partition("\n")[0]
