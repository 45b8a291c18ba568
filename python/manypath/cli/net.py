"""`manypath net`: SCTP between real machines, by a program of its own."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from manypath.cli.names import net_words
from manypath.programs import NET, program


def net(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="send or receive, and what belongs to it.", autocompletion=net_words),
    ] = None,
) -> None:
    """Send files over several paths of a real network, by SCTP inside UDP, and verify them at the other end."""
    os.execv(program(NET), [NET, *(arguments or ["--help"])])  # noqa: S606 - a found path, no shell
