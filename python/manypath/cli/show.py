"""`manypath show`: a summary of a scenario file, without a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manypath.cli.output import print_json
from manypath.outputs import FIGURE, Outputs


def show(
    file: Annotated[Path, typer.Argument(help="Scenario file in TOML or JSON; - for standard input.")],
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the network in this file: .svg, .pdf or .png.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, with its units.")] = False,
) -> None:
    """Show paths, links and flows of a scenario, settings that are not defaults, and the memory that a run needs."""
    from manypath.cli.show_view import document_of, print_scenario
    from manypath.scenario import Scenario

    if plot is not None:
        Outputs([file]).file("--plot", plot, FIGURE, makes_folder=True)
    scenario = Scenario.from_file(file)
    if plot is not None:
        scenario.network.draw().save(plot)
    if as_json:
        print_json(document_of(scenario))
        return
    print_scenario(scenario)
    if plot is not None:
        typer.echo(f"plot: {plot}")
