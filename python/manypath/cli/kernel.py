"""`manypath kernel`: coupled congestion control for the kernel's Multipath TCP, by the program `manypath-kernel`."""

from __future__ import annotations

from typing import Annotated

import typer

from manypath.cli.names import kernel_words
from manypath.programs import LOADER, become


def kernel(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            help="Command and its arguments: check, list, load, status, default, run or unload.",
            autocompletion=kernel_words,
        ),
    ] = None,
) -> None:
    """Load congestion control (LIA, OLIA, BALIA and others) into this machine's Linux kernel. Needs root."""
    become(LOADER, arguments)
