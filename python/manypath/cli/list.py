"""`manypath list`: everything that has a name."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from manypath import _native
from manypath.cli.output import print_json
from manypath.papers import NAMES, STUDIES


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print the lists as JSON.")] = False,
) -> None:
    """List congestion controls with their parameters, accounting profiles, queues, loss models, papers and studies."""
    kinds = {
        "congestion controls": _native.algorithms(),
        "parameters of congestion controls": [
            (f"{name}:{key}={default}", summary) for name, key, default, summary in _native.algorithm_parameters()
        ],
        "accounting profiles": _native.profiles(),
        "queues": _native.queues(),
        "loss models": _native.loss_models(),
        "papers": [(name, _first_line(f"manypath.papers.{name}")) for name in NAMES],
        "studies of our own": [(name, _first_line(f"manypath.studies.{name}")) for name in STUDIES],
    }
    if as_json:
        print_json({kind: [{"name": name, "summary": summary} for name, summary in kinds[kind]] for kind in kinds})
        return
    for kind, entries in kinds.items():
        typer.echo(f"{kind}:")
        for name, summary in entries:
            typer.echo(f"  {name:<30} {summary}")


def _first_line(package: str) -> str:
    """What a package says of itself; for a paper its title, known without loading what draws its figures."""
    return (import_module(package).__doc__ or "").partition("\n")[0]
