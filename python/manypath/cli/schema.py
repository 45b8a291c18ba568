"""`manypath schema`: JSON schemas of input files for editors."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.names import FILE_KINDS, file_kinds
from manypath.cli.output import print_json
from manypath.errors import UserError, quoted, remedy


def schema(
    kind: Annotated[
        str,
        typer.Argument(help="Kind of file: scenario, sweep, expect or emulation.", autocompletion=file_kinds),
    ] = "scenario",
) -> None:
    """Print the JSON schema of a kind of file, for completion, explanations and checks in editors."""
    if kind not in FILE_KINDS:
        raise UserError(f"kind: {quoted(kind)} is no kind of file: {remedy(kind, FILE_KINDS)}")
    from manypath.schema import file_schema

    print_json(file_schema(kind))
