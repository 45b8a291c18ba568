"""`manypath net`: SCTP between real machines, by a program of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.names import net_words
from manypath.programs import NET, become


def net(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="listen, send, receive or perf, and what belongs to it.", autocompletion=net_words),
    ] = None,
) -> None:
    """Send files over several paths of a real network by SCTP, take messages, or measure how much the paths carry."""
    become(NET, arguments)
