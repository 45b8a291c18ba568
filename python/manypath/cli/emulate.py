"""`manypath emulate`: emulation of the network of a file, in real time."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from manypath.cli.file_names import CAPTURED
from manypath.cli.output import print_json, print_table
from manypath.display import number_columns, table_of, text_columns
from manypath.errors import UserError
from manypath.outputs import CAPTURE, EVENTS, Outputs, writing
from manypath.programs import EMULATOR, launch

if TYPE_CHECKING:
    from manypath.emulation import Emulation


def emulate(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Emulation or scenario in TOML or JSON, - for standard input; quantities have units: '10 Mbit/s'."
        ),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Argument(help="After --: command to run in the left namespace; the emulation ends when it ends."),
    ] = None,
    pcapng: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Capture packets in this pcapng file, for Wireshark.")
    ] = None,
    link: Annotated[list[str] | None, CAPTURED] = None,
    events: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write the counters of links to this file, as JSON lines, at each update."),
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.01, max=3600, help="Seconds between two updates of the counters.")
    ] = 1.0,
    realtime: Annotated[
        bool, typer.Option(help="Use real-time scheduling (SCHED_FIFO) if the system permits it.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print hosts and counters as JSON at the end.")] = False,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove namespaces and interfaces of killed emulations.")
    ] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Measure the accuracy of emulations on this machine.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --calibrate: take only half a minute.")] = False,
) -> None:
    """Emulate a network between network namespaces, in real time. Needs Linux and root."""
    if quick and not calibrate:
        raise UserError("--quick: only valid with --calibrate: give --calibrate, too")
    if link and pcapng is None:
        raise UserError("--link: only valid with --pcapng: give --pcapng OUT, too")
    if clean or calibrate:
        _check_alone(file, clean, calibrate, {"--pcapng": pcapng, "--events": events, "--json": clean and as_json})
        _clean() if clean else _calibrate(quick, as_json)
        return
    if file is None:
        raise UserError(f"FILE: missing: {EXAMPLE}")
    outputs = Outputs([file])
    if pcapng is not None:
        outputs.file("--pcapng", pcapng, CAPTURE)
    if events is not None:
        outputs.file("--events", events, EVENTS)
    from manypath.emulation import Emulation, start
    from manypath.scenario.files import name_of

    emulation = Emulation.from_file(file)
    options = ["--interval", str(interval), *(["--no-realtime"] if not realtime else [])]
    options += [f"--source={name_of(file)}"]
    options += ["--pcapng", str(pcapng)] if pcapng is not None else []
    options += [word for name in link or () for word in ("--link", name)]
    process, reports = start(emulation, options, command or ())
    with _ended_on_failure(process), _log(events, emulation) as note:
        ready, ending = _follow(process, reports, note, is_quiet=as_json or bool(command))
    code = _code(process)
    if ending is not None and as_json:
        print_json({**ending, "interfaces": _with_counters(ready, ending)})
    elif ending is not None and not command:
        _print_ending(ending)
    if code:
        raise typer.Exit(code)


EXAMPLE = "give an emulation or a scenario, such as examples/emulate_two_paths.toml, which `manypath examples` writes"
"""What to give as a file."""


def _with_counters(ready: Mapping[str, Any], ending: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each interface with its counters at the end."""
    return [{**end, **counts} for end, counts in zip(ready["interfaces"], ending["interfaces"], strict=True)]


def _check_alone(file: Path | None, clean: bool, calibrate: bool, others: Mapping[str, object]) -> None:
    """Refuse a file, and options that have no effect, with --clean or --calibrate."""
    chosen = "--clean" if clean else "--calibrate"
    if clean and calibrate:
        raise UserError("--clean: not valid with --calibrate: give one of them")
    for name, value in others.items():
        if value:
            raise UserError(f"{name}: has no effect with {chosen}: leave one of them out")
    if file is not None:
        raise UserError(f"{file}: --clean and --calibrate need no file: leave it out")


def _follow(
    process: subprocess.Popen[str],
    reports: Iterator[dict[str, Any]],
    note: Callable[[dict[str, Any] | None], object],
    is_quiet: bool,
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Show and note the reports of the emulator until it ends; return its first and its last report."""
    ready: dict[str, Any] = {}
    ending = None
    with _signals_forwarded(process), _screen(is_quiet) as show:
        for report in reports:
            match report.pop("event"):
                case "ready":
                    ready = report
                    note(None)
                    if not is_quiet:
                        _print_hosts(report)
                case "counters":
                    show(report)
                    note(report)
                case "end":
                    note(report)
                    ending = report
    return ready, ending


@contextmanager
def _ended_on_failure(process: subprocess.Popen[str]) -> Iterator[None]:
    """End the emulator, which removes its namespaces, if this process cannot follow it."""
    try:
        yield
    except BaseException:
        process.terminate()
        process.wait()
        raise


@contextmanager
def _log(file: Path | None, emulation: Emulation) -> Iterator[Callable[[dict[str, Any] | None], object]]:
    """Yield a function that writes the counters of a report to a file; without a file it does nothing.

    Its first call replaces an earlier file, so the emulation must have begun; the report may be None there.
    """
    from manypath.emulation.log import LinkLog

    if file is None:
        yield lambda _: None
        return
    with ExitStack() as opened:
        log: LinkLog | None = None

        def close(out: TextIO) -> None:
            # After a failed write, it fails again.
            with writing("--events", file):
                out.close()

        def note(report: dict[str, Any] | None) -> None:
            nonlocal log
            with writing("--events", file):
                if log is None:
                    out = file.open("w", encoding="utf-8")
                    opened.callback(close, out)
                    log = LinkLog(out, emulation)
                if report is not None:
                    log.write(report)

        yield note


def _code(process: subprocess.Popen[str]) -> int:
    """Wait for the emulator and return its exit code; a killed emulator has 128 + signal, as in shells."""
    code = process.wait()
    if code >= 0:
        return code
    remedy = "`manypath emulate --clean`, or the next emulation with the same name, removes its namespaces"
    typer.echo(f"error: {EMULATOR} was killed by {signal.Signals(-code).name}: {remedy}", err=True)
    return 128 - code


@contextmanager
def _signals_forwarded(process: subprocess.Popen[str]) -> Iterator[None]:
    """Forward signals to the emulator, which removes its namespaces, while this process waits."""
    signals = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: process.send_signal(number)) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _screen(is_quiet: bool) -> Iterator[Any]:
    """Yield a function that shows counters in a live table on a terminal. Without a terminal it does nothing."""
    from rich.console import Console, Group
    from rich.live import Live

    console = Console()
    if is_quiet or not console.is_terminal:
        yield lambda _: None
        return
    before: dict[str, Any] = {}
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(counters: dict[str, Any]) -> None:
            table = table_of(LINK_COLUMNS, _link_rows(counters, before))
            live.update(Group(table, _lateness(counters["lateness"])), refresh=True)
            before.update(counters)

        yield show


def _print_hosts(ready: dict[str, Any]) -> None:
    rows = [[end["namespace"], end["interface"], end["path"], *end["addresses"]] for end in ready["interfaces"]]
    print_table(text_columns("namespace", "interface", "path", "IPv4", "IPv6"), rows)
    left = ready["interfaces"][0]["namespace"]
    typer.echo(f"in another terminal: sudo ip netns exec {left} COMMAND; Ctrl-C ends the emulation")
    for reason in ready["refused"]:
        typer.echo(f"refused: {reason}", err=True)


def _print_ending(ending: dict[str, Any]) -> None:
    print_table(LINK_COLUMNS, _link_rows(ending, {}))
    typer.echo(_lateness(ending["lateness"]))
    for mark in ending["marks"]:
        typer.echo(f"marked: {mark}", err=True)


def _link_rows(counters: dict[str, Any], before: dict[str, Any]) -> list[list[str]]:
    """Return one row for each link. Rates are means since `before`, or since the beginning if that is empty."""
    seconds = counters["at"] - before.get("at", 0)
    rows: list[list[str]] = []
    for name, link in counters["links"].items():
        carried = link["bytes_delivered"] - before.get("links", {}).get(name, {}).get("bytes_delivered", 0)
        rate = 8e-6 * carried / seconds if seconds > 0 else 0
        counts = (str(link[count]) for count in ("waiting", "delivered", "damaged", "dropped", "lost"))
        rows.append([name, f"{rate:.3f}", *counts])
    return rows


def _lateness(late: dict[str, Any]) -> str:
    """Return a line with the lateness of packets."""
    share = 100 * late["late"] / late["packets"] if late["packets"] else 0
    micros = {name: f"{1e6 * late[name]:.0f} µs" for name in ("median", "p99", "p999", "max")}
    return (
        f"late: median {micros['median']}, 99 % {micros['p99']}, 99.9 % {micros['p999']}, at most {micros['max']}; "
        f"{share:.3f} % more than {1e3 * late['bound']:g} ms"
    )


def _clean() -> None:
    code = launch(EMULATOR, ["clean"]).wait()
    if code:
        raise typer.Exit(code)


def _calibrate(quick: bool, as_json: bool) -> None:
    with launch(EMULATOR, ["calibrate", *(["--quick"] if quick else [])], stdout=subprocess.PIPE) as process:
        rows: list[dict[str, Any]] = []
        with _signals_forwarded(process):
            for line in process.stdout or ():
                rows.append(json.loads(line))
                typer.echo(f"measured: {rows[-1]['kind']} {len(rows)}", err=True)
    if process.returncode:
        raise typer.Exit(process.returncode)
    if as_json:
        print_json(rows)
        return
    for kind, heads in CALIBRATED.items():
        columns = (*text_columns(heads["load"]), *number_columns(*(heads[key] for key in heads if key != "load")))
        print_table(columns, ([_cell(row[key]) for key in heads] for row in rows if row["kind"] == kind))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


LINK_COLUMNS = (
    *text_columns("link"),
    *number_columns("Mbit/s", "waiting", "delivered", "damaged", "dropped", "lost"),
)
"""Columns of the table of links."""

CALIBRATED = {
    "rate": {
        "load": "load",
        "set": "rate: Mbit/s set",
        "expected": "for payload",
        "measured": "measured",
        "late": "late > 2 ms %",
        "median": "late: median µs",
        "p99": "99 % µs",
        "p999": "99.9 % µs",
        "max": "max µs",
    },
    "delay": {
        "load": "load",
        "set": "delay: ms set",
        "median": "error: median µs",
        "p99": "99 % µs",
        "p999": "99.9 % µs",
        "max": "max µs",
    },
    "loss": {
        "load": "load",
        "set": "loss: % set",
        "packets": "packets",
        "measured": "measured",
        "low": "95 % from",
        "high": "to",
    },
}
"""Tables of a calibration by kind: headings of columns by the keys of rows."""
