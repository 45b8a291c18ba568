"""`manypath expect`: expected goodput of a Multipath TCP connection over given paths."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manypath.cli.names import congestion_controls, queues
from manypath.cli.output import print_json, print_table
from manypath.cli.phase import CHECK_PHASE, check_phase, check_replications
from manypath.cli.targets import STORE, WORKERS
from manypath.display import number_columns, text_columns
from manypath.errors import UserError
from manypath.quantity import RATE, SIZE, SPAN, QuantityError
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.expect import Description, Expectation
    from manypath.stats import Interval

TRANSPORT = typer.Option(metavar="NAME", help="Protocol of the connection: mptcp (default) or sctp.")
"""Option for the protocol of the connection."""

TCP_CC = typer.Option(
    metavar="CC",
    help="Congestion control of the other connections; newreno by default.",
    autocompletion=congestion_controls,
)
"""Option for the congestion control of the other connections."""

SCHEDULER = typer.Option(metavar="NAME", help="Scheduler of Multipath TCP; lowest-rtt by default.")
"""Option for the scheduler."""

SOCKET_BUFFER = typer.Option(
    metavar="SIZE", help="Send buffer and receive buffer of each host, such as '6 MB'; by default they limit no flow."
)
"""Option for the buffers of hosts."""


def expect(
    file: Annotated[
        Path | None, typer.Argument(help="Paths in TOML or JSON, - for standard input; instead of options.")
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'RATE, RTT[, LOSS]'",
            help="A path, such as '10 Mbit/s, 40 ms, 1 %', or with a name: 'wlan: 10 Mbit/s, 40 ms'; may be repeated. "
            "RTT is the round-trip time without queueing.",
        ),
    ] = None,
    shared: Annotated[
        list[str] | None,
        typer.Option(metavar="'RATE: PATHS'", help="A link that paths share: '15 Mbit/s: wlan, lte'; may be repeated."),
    ] = None,
    tcp: Annotated[
        list[str] | None, typer.Option(metavar="PATH=N", help="Other TCP connections on a path; may be repeated.")
    ] = None,
    cc: Annotated[
        list[str] | None,
        typer.Option(help="Congestion control; may be repeated. Eight by default.", autocompletion=congestion_controls),
    ] = None,
    tcp_cc: Annotated[str | None, TCP_CC] = None,
    queue: Annotated[
        str | None, typer.Option(help="Queue discipline: drop-tail (default) or red.", autocompletion=queues)
    ] = None,
    buffer: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time to drain a full queue; by default the longest RTT.")
    ] = None,
    transport: Annotated[str | None, TRANSPORT] = None,
    scheduler: Annotated[str | None, SCHEDULER] = None,
    socket_buffer: Annotated[str | None, SOCKET_BUFFER] = None,
    measured: Annotated[
        str | None, typer.Option(metavar="RATE", help="Measured goodput, to compare with the range of single runs.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Replications of each simulation.")] = 10,
    measure: Annotated[str, typer.Option(metavar="TIME", help="Measured time of each simulation.")] = "100 s",
    seed: Annotated[int, typer.Option(help="Seed of the simulations.")] = 1,
    workers: Annotated[int | None, WORKERS] = None,
    store: Annotated[Path, STORE] = Path("runs"),
    phase: Annotated[bool, CHECK_PHASE] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Predict the goodput of a multipath connection over your paths, by theory and by a short simulation."""
    from manypath.expect import campaign
    from manypath.expect import expect as predict
    from manypath.expect.expectation import DEFAULT

    given = {"tcp_cc": tcp_cc, "queue": queue, "buffer": buffer}
    given |= {"transport": transport, "scheduler": scheduler, "socket_buffer": socket_buffer}
    if phase:
        check_replications("--runs", runs)
    description = _described(file, path, shared, tcp, given)
    rate = None if measured is None else _rate(measured)
    found = predict(description, cc or DEFAULT, runs=runs, measure=measure, seed=seed, store=store, workers=workers)
    options = {"measure": measure, "queue": description.queue, "host buffers": SIZE.show(description.host_buffer())}
    settings = Settings(seed, runs, options=options)
    if as_json:
        print_json(_document(description, found, rate, settings))
    else:
        _print(description, found, rate)
        for line in [*_notes(description, found, settings), *_causes(description, found, rate)]:
            typer.echo(line)
    if phase:
        # Its runs are in the store.
        simulations = campaign(description, cc or DEFAULT, runs=runs, measure=measure, seed=seed)
        check_phase(simulations.run(store, workers, progress=False), store, workers)


def _described(
    file: Path | None,
    path: list[str] | None,
    shared: list[str] | None,
    tcp: list[str] | None,
    settings: Mapping[str, str | None],
) -> Description:
    """Return the paths, from a file or from options."""
    from manypath.expect import Description

    given = {name: value for name, value in settings.items() if value is not None}
    if file is not None:
        if path or shared or tcp or given:
            raise UserError(f"path: {file} already describes the paths: give either a file or options")
        return Description.from_file(file)
    if "tcp_cc" in given and not tcp:
        raise UserError("--tcp-cc: has no effect without other connections: give --tcp PATH=N, too")
    if not path:
        raise UserError("--path: missing: give --path '10 Mbit/s, 40 ms' for each path, or a file")
    try:
        return Description.from_words(path, shared or (), tcp or (), **given)
    except UserError as error:
        # The user wrote options, not the fields that they become.
        raise UserError(PLACE.sub(_option, str(error))) from None


def _option(place: re.Match[str]) -> str:
    """Return the option, and the name of the path."""
    if place["kind"] == "shared":
        return "--shared: "
    return f"--{'tcp' if place['field'] == 'tcp' else 'path'}: {place['name']}: "


def _document(
    description: Description, found: list[Expectation], measured: int | None, settings: Settings
) -> dict[str, Any]:
    """Return the results as plain data for JSON: rates in bit/s, times in nanoseconds."""
    rows = [each.document() for each in found]
    if measured is not None:
        for row, each in zip(rows, found, strict=True):
            row["measured"] = {"rate": measured, "is": _side(measured, each)}
    units = {"rates": RATE.base_unit, "times": SPAN.base_unit, "losses and shares": "1"}
    described = description.model_dump(mode="json")
    return {"units": units, "description": described, "simulation": settings.document(), "expectations": rows}


def _rate(measured: str) -> int:
    """Return the measured rate, bit/s."""
    try:
        return RATE.parse(measured)
    except QuantityError as error:
        raise UserError(f"measured: {error}") from None


def _print(description: Description, found: list[Expectation], measured: int | None) -> None:
    """Print a row for each congestion control."""
    columns = [
        *text_columns("control"),
        *number_columns("fluid Mbit/s", "simulated Mbit/s", *(f"on {name}" for name in description.paths)),
    ]
    rows = [
        [
            each.cc,
            "" if each.theory is None else f"{sum(each.theory.goodput.values()):.2f}",
            _shown(each.total, 2),
            *(f"{each.goodput[name].mean:.2f}" for name in description.paths),
        ]
        for each in found
    ]
    if not _is_alone(description):
        columns[3:3] = number_columns("fluid share %", "simulated share %")
        for row, each in zip(rows, found, strict=True):
            share = "" if each.theory is None else f"{100 * each.theory.share:.1f}"
            row[3:3] = [share, _shown(each.share, 1, 100)]
    if measured is not None:
        columns += text_columns(f"{RATE.show(measured)} is")
        for row, each in zip(rows, found, strict=True):
            row.append(_judged(measured, each))
    print_table(columns, rows)


def _is_alone(description: Description) -> bool:
    return not any(way.tcp for way in description.paths.values())


def _shown(value: Interval, digits: int, unit: float = 1.0) -> str:
    """Return a mean with its interval; a single run has no interval."""
    mean, half = f"{unit * value.mean:.{digits}f}", f"{unit * value.half_width:.{digits}f}"
    return mean if value.n == 1 else f"{mean} ± {half}"


def _judged(measured: int, each: Expectation) -> str:
    """Compare a measured rate with the prediction interval of single runs."""
    side = _side(measured, each)
    return "not comparable: one run" if side is None else f"{side} {each.single[0]:.2f} to {each.single[1]:.2f}"


def _side(measured: int, each: Expectation) -> str | None:
    """Return whether a rate is below, within or above the prediction interval of single runs; None after one run."""
    low, high = each.single
    if math.isnan(low):
        return None
    rate = measured / 1e6
    return "below" if rate < low else "above" if rate > high else "within"


def _causes(description: Description, found: list[Expectation], measured: int | None) -> list[str]:
    """Return what limits the simulated flows besides their paths, and likely causes of another measured rate."""
    size = SIZE.show(description.host_buffer())
    lines = [
        f"{each.cc}: host buffers of {size} stopped a path for {100 * each.buffers_limit:.1f} % of the time: "
        "give a larger --socket-buffer if the hosts have one"
        for each in found
        if each.buffers_limit > LEAST_LIMIT
    ]
    sides = [] if measured is None else [_side(measured, each) for each in found]
    if measured is None or None in sides or "within" in sides:
        return lines
    said = RATE.show(measured)
    if "below" in sides and "above" not in sides:
        lines.append(
            f"{said} is below each range: likely causes are socket buffers below {size} (try --socket-buffer '6 MB', "
            "Linux's default limit), other traffic (--tcp), losses or longer round-trip times on the paths"
        )
    elif "above" in sides and "below" not in sides:
        lines.append(
            f"{said} is above each range: likely causes are higher rates or fewer losses than those given, or less "
            "other traffic"
        )
    else:
        lines.append(f"{said} is between the ranges: a likely cause is a congestion control that is not listed")
    return lines


def _notes(description: Description, found: list[Expectation], settings: Settings) -> list[str]:
    runs = found[0].total.n
    said = "one run, no interval" if runs == 1 else f"{runs} runs each, means with 95 % intervals"
    lines = [
        f"simulated: {said}; delivered payload; {settings.line()}",
        "fluid: rates at which window growth balances losses; a full link drops the same share of each flow; "
        "`manypath docs expect` explains both",
    ]
    reasons = dict.fromkeys(each.lack for each in found if each.lack)
    lines += [
        f"no fluid number for {', '.join(each.cc for each in found if each.lack == reason)}: {reason}"
        for reason in reasons
    ]
    if not _is_alone(description):
        lines.append("share: goodput of the connection as a share of the goodput of all connections")
    return lines


PLACE = re.compile(r"^(?P<kind>paths|shared)\.(?P<name>[^:]*)\.(?P<field>\w+): ", re.MULTILINE)
"""The place of a wrong value in a path or a shared link that was given as an option."""

LEAST_LIMIT = 1e-3
"""Share of the time from which on a limit by host buffers is reported."""
