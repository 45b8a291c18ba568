"""`manypath kernel`: coupled congestion control for the kernel's own Multipath TCP, by a program of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.names import kernel_words
from manypath.programs import LOADER, become


def kernel(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            help="check, list, load, status, default, run or unload, and what belongs to it.",
            autocompletion=kernel_words,
        ),
    ] = None,
) -> None:
    """Bring LIA, OLIA, BALIA and others into this machine's Linux kernel. Needs the rights of root."""
    become(LOADER, arguments)
