"""`manypath net`: SCTP between real machines, by the program `manypath-net`."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.names import net_words
from manypath.programs import NET, become


def net(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            help="Command and its arguments: listen, send, receive, perf, run or serve.", autocompletion=net_words
        ),
    ] = None,
) -> None:
    """Transfer files and messages with SCTP over several paths of a real network, measure, or run SCTP programs."""
    become(NET, arguments)
