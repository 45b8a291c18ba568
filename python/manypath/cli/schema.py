"""`manypath schema`: what editors must know of our files."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.output import print_json
from manypath.errors import UserError, remedy


def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file: scenario, sweep, expect or emulation.")] = "scenario",
) -> None:
    """Print the JSON schema of a kind of file, with which editors complete, explain and check what is typed."""
    from manypath.schema import FILES, file_schema

    if kind not in FILES:
        raise UserError(f'kind: "{kind}" is no kind of file: {remedy(kind, FILES)}')
    print_json(file_schema(kind))
