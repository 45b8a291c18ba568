"""`manypath expect`: what a connection over your own paths should get."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.names import congestion_controls, queues
from manypath.cli.output import print_json, print_table
from manypath.errors import UserError
from manypath.quantity import RATE, QuantityError

if TYPE_CHECKING:
    from manypath.expect import Description, Expectation


def expect(
    file: Annotated[Path | None, typer.Argument(help="Paths as TOML or JSON, instead of options.")] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'RATE, RTT[, LOSS]'",
            help="A path, such as '10 Mbit/s, 40 ms, 1 %', or with a name 'wlan: 10 Mbit/s, 40 ms'; repeated. The "
            "round-trip time is that of an idle path.",
        ),
    ] = None,
    shared: Annotated[
        list[str] | None,
        typer.Option(metavar="'RATE: PATHS'", help="A link that paths share, such as '15 Mbit/s: wlan, lte'."),
    ] = None,
    tcp: Annotated[
        list[str] | None, typer.Option(metavar="PATH=N", help="So many other TCP connections on a path.")
    ] = None,
    cc: Annotated[
        list[str] | None,
        typer.Option(
            help="Congestion control; may be repeated. The usual ones if none.", autocompletion=congestion_controls
        ),
    ] = None,
    tcp_cc: Annotated[
        str | None,
        typer.Option(
            metavar="CC",
            help="Congestion control of the other connections: newreno.",
            autocompletion=congestion_controls,
        ),
    ] = None,
    queue: Annotated[str | None, typer.Option(help="drop-tail (the default) or red.", autocompletion=queues)] = None,
    buffer: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long a full queue takes to drain; one round-trip time.")
    ] = None,
    measured: Annotated[
        str | None, typer.Option(metavar="RATE", help="What you measured: is it what a single run gives?")
    ] = None,
    runs: Annotated[int, typer.Option(help="Replications of each simulation.")] = 10,
    measure: Annotated[str, typer.Option(metavar="TIME", help="How long each is measured.")] = "100 s",
    workers: Annotated[int | None, typer.Option(help="Threads; all cores if not given.")] = None,
    store: Annotated[Path, typer.Option(help="Folder of results; what is there is not computed again.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Say what a Multipath TCP connection should get over your paths, in theory and in a short simulation."""
    from manypath.expect import Description
    from manypath.expect import expect as predict
    from manypath.expect.expectation import DEFAULT

    settings = {"tcp_cc": tcp_cc, "queue": queue, "buffer": buffer}
    given = {name: value for name, value in settings.items() if value is not None}
    if file is not None:
        if path or shared or tcp or given:
            raise UserError(f"path: {file} describes the paths already: give either a file or options")
        description = Description.from_file(file)
    else:
        description = Description.from_words(path or (), shared or (), tcp or (), **given)
    rate = None if measured is None else _rate(measured)
    found = predict(description, cc or DEFAULT, runs=runs, measure=measure, store=store, workers=workers)
    if as_json:
        print_json(_document(description, found, rate))
        return
    _print(description, found, rate)


def _document(description: Description, found: list[Expectation], measured: float | None) -> dict[str, Any]:
    """Everything as plain data; rates in Mbit/s but for those of the description, which are in bit/s."""
    rows = [each.document() for each in found]
    if measured is not None:
        for row, each in zip(rows, found, strict=True):
            row["measured"] = {"rate": measured, "is": _side(measured, each)}
    return {"description": description.model_dump(mode="json"), "expectations": rows}


def _rate(measured: str) -> float:
    """What was measured, in Mbit/s."""
    try:
        return RATE.parse(measured) / 1e6
    except QuantityError as error:
        raise UserError(f"measured: {error}") from None


def _print(description: Description, found: list[Expectation], measured: float | None) -> None:
    """Print a row for each congestion control, and below the table what its numbers rest on."""
    alone = not any(way.tcp for way in description.paths.values())
    heads = ["control", "fluid Mbit/s", "simulated Mbit/s", *(f"on {name}" for name in description.paths)]
    rows = [
        [
            each.cc,
            "" if each.theory is None else f"{sum(each.theory.goodput.values()):.2f}",
            f"{each.total.mean:.2f} ± {each.total.half_width:.2f}",
            *(f"{each.goodput[name].mean:.2f}" for name in description.paths),
        ]
        for each in found
    ]
    if not alone:
        heads[3:3] = ["fluid share %", "simulated share %"]
        for row, each in zip(rows, found, strict=True):
            share = "" if each.theory is None else f"{100 * each.theory.share:.1f}"
            row[3:3] = [share, f"{100 * each.share.mean:.1f} ± {100 * each.share.half_width:.1f}"]
    if measured is not None:
        heads.append(f"{measured:g} Mbit/s is")
        for row, each in zip(rows, found, strict=True):
            row.append(_judged(measured, each))
    print_table(heads, rows)
    for line in _notes(description, found, alone):
        typer.echo(line)


def _judged(measured: float, each: Expectation) -> str:
    """Set one measured rate beside what single runs give."""
    side = _side(measured, each)
    return "not comparable: one run" if side is None else f"{side} {each.single[0]:.2f} to {each.single[1]:.2f}"


def _side(measured: float, each: Expectation) -> str | None:
    """Tell on which side of what single runs give a measured rate lies; None where a single run says nothing of it."""
    low, high = each.single
    if math.isnan(low):
        return None
    return "below" if measured < low else "above" if measured > high else "within"


def _notes(description: Description, found: list[Expectation], alone: bool) -> list[str]:
    lines = [
        f"simulated: {found[0].total.n} runs each, means with 95 % intervals; {description.queue} queues; "
        "payload that arrived",
        "fluid: growth and losses in balance, every flow on a full link loses the same part; see docs/how-to/expect.md",
    ]
    without = [each.cc for each in found if each.theory is None]
    if without:
        lines.append(f"no fluid number for {', '.join(without)}: formulas alone do not settle it")
    if not alone:
        lines.append("share: the connection's part of all goodput, its own and that of the other TCP connections")
    return lines
