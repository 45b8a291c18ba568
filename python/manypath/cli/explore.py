"""`manypath explore`: a local page on which every setting of a scenario is a control."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from manypath.errors import UserError


def explore(
    file: Annotated[
        Path | None,
        typer.Argument(help="Scenario file in TOML or JSON, - for standard input; two paths with a rival by default."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    attach: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE-OR-SOCKET",
            help="Show this event log while it is written, such as that of `manypath net ... --events OUT`; "
            "a FIFO, a Unix socket, or - for standard input.",
        ),
    ] = None,
) -> None:
    """Explore a scenario on a local page: each control changes the curves at once. Ctrl-C ends it."""
    if file is not None and attach is not None:
        raise UserError("--attach: not valid with a scenario file: give one of them")
    state = None
    if file is not None:
        from manypath.explore.state import State
        from manypath.run import check
        from manypath.scenario import Scenario

        state = State(Scenario.from_file(file))
        check(state.scenario)
    for module in ("nicegui", "orjson"):
        if find_spec(module) is None:
            raise UserError(f'explore: {module} is not installed: pip install "manypath[explore]"')
    from manypath.explore.live.follower import Follower
    from manypath.explore.presets import default
    from manypath.explore.server import serve

    follower = Follower(attach) if attach is not None else None

    def ready(address: str) -> None:
        typer.echo(f"{address}\nCtrl-C ends the explorer.")
        if follower is not None:
            follower.start()
        if browser:
            import threading
            import webbrowser

            threading.Timer(1.0, webbrowser.open, [address]).start()

    with suppress(KeyboardInterrupt):
        serve(state or default(), port, follower, ready)
