"""`manypath docs`: the documentation in the package, in a browser and without a network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from manypath.cli.names import documentation_pages
from manypath.documentation import HOME, page


def docs(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PAGE",
            help="Name of a page, such as how-to/emulate or emulate; the home page by default.",
            show_default=False,
            autocompletion=documentation_pages,
        ),
    ] = HOME,
    only_print: Annotated[bool, typer.Option("--print", help="Print the path of the page, and open nothing.")] = False,
) -> None:
    """Open the documentation of this version in the browser. It needs no network."""
    file = page(name)
    if only_print or not _opened(file):
        typer.echo(file)


def _opened(file: Path) -> bool:
    """Open a file in the browser; return whether there is one."""
    has_screen = sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    # Without a screen `webbrowser` would start a browser in this terminal, unless the user names one.
    if not has_screen and not os.environ.get("BROWSER"):
        return False
    import webbrowser

    return webbrowser.open(file.as_uri())
