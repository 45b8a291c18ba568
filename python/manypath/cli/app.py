"""The command line: its commands, exit codes and error messages."""

from __future__ import annotations

import codecs
import errno
import io
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from manypath import _native
from manypath.cli.anchors import anchors
from manypath.cli.bash import join_words
from manypath.cli.bench import bench
from manypath.cli.decode import decode
from manypath.cli.docs import docs
from manypath.cli.emulate import emulate
from manypath.cli.examples import examples
from manypath.cli.expect import expect
from manypath.cli.explore import explore
from manypath.cli.group import Group, HandedOver
from manypath.cli.kernel import kernel
from manypath.cli.list import list_
from manypath.cli.measure import measure
from manypath.cli.net import net
from manypath.cli.papers import papers
from manypath.cli.reconstruct import reconstruct
from manypath.cli.report import report
from manypath.cli.run import run
from manypath.cli.schema import schema
from manypath.cli.show import show
from manypath.cli.store import store
from manypath.cli.sweep import sweep
from manypath.cli.usage import told
from manypath.errors import BackendWarning, OutputError, Stopped, StoreWarning, UserError, in_file_form, visible

app = typer.Typer(
    name="manypath",
    cls=Group,
    help="A laboratory for multipath transport: simulate, compare, reproduce.",
    epilog="Exit codes: 0 success, 1 failure, 2 invalid input, 130 stopped by Ctrl-C.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
HANDED_OVER: dict[str, Any] = {
    "cls": HandedOver,
    "context_settings": {"ignore_unknown_options": True, "allow_interspersed_args": False},
}
"""Settings of a command whose words belong to another program."""

PANELS: dict[str, list[tuple[Callable[..., None], str, dict[str, Any]]]] = {
    "Simulate": [
        (run, "examples/two_paths.toml --seed 7 --series '100 ms'", {}),
        (show, "examples/two_paths.toml --plot network.svg", {}),
        (sweep, "examples/sweep.toml --plot shares.svg", {}),
        (explore, "examples/two_paths.toml", {}),
        (expect, "--path 'wlan: 20 Mbit/s, 20 ms' --path 'lte: 10 Mbit/s, 60 ms' --tcp lte=1", {}),
        (list_, "queues", {"name": "list"}),
    ],
    "Papers": [
        (papers, "dreibholz2011_impact --figure 3 --set flows.cmt.send_buffer='100 kB'", {}),
        (report, "dreibholz2011_impact", {}),
        (reconstruct, "dreibholz2011_impact dreibholz2012_testbed", {}),
        (anchors, "single sharing --json", {}),
    ],
    "Real networks": [
        (net, "send FILE --to 192.0.2.7,198.51.100.7", HANDED_OVER),
        (emulate, "examples/emulate_two_paths.toml -- iperf3 -c 10.0.0.2", {}),
        (measure, "shared --cc lia --runs 10 --at-once 4", {}),
        (kernel, "load lia --pin", HANDED_OVER),
        (decode, "run.pcapng --summary", {}),
    ],
    "Documentation": [
        (docs, "first-scenario", {}),
        (examples, "", {}),
    ],
    "Housekeeping": [
        (schema, "> scenario.schema.json", {}),
        (bench, "D10 --json", {}),
    ],
}
"""The commands in the order of ``manypath --help``, by their group there, each with the words of its example."""

for panel, commands in PANELS.items():
    for function, words, settings in commands:
        name = settings.get("name", function.__name__)
        sudo = "sudo " if function is measure else ""
        example = f"Example: {sudo}manypath {name} {words}".rstrip()
        app.command(epilog=example, rich_help_panel=panel, **settings)(function)
app.add_typer(store, name="store", rich_help_panel="Housekeeping")


@app.callback()
def version(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the versions and exit.")] = False,
) -> None:
    """Handle the options before a command."""
    if show:
        from importlib import metadata

        typer.echo(f"manypath {metadata.version('manypath')}, engine {_native.engine_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(WRONG_INPUT)


def main() -> None:
    """Run the command line; a mistake of the user is reported in one line without a traceback."""
    write_what_can_be_written()
    silence_matplotlib()
    try:
        # Commands return None; a number is the code of `typer.Exit`.
        with in_file_form(), damage_shown():
            code = app(standalone_mode=False, obj=join_words())
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except TyperException as error:
        typer.echo(f"error: {visible(told(error))}", err=True)
        sys.exit(WRONG_INPUT)
    except typer.Abort:
        typer.echo("stopped: nothing was done", err=True)
        sys.exit(INTERRUPTED)
    except UserError as error:
        for line in str(error).splitlines():
            typer.echo(f"error: {line}", err=True)
        sys.exit(BROKEN if isinstance(error, OutputError) else WRONG_INPUT)
    except _native.RunError as error:
        typer.echo(f"error: a run failed: {error}", err=True)
        sys.exit(BROKEN)
    except Stopped as stopped:
        typer.echo(str(stopped), err=True)
        sys.exit(INTERRUPTED)
    except OSError as error:
        _end_with(error)


def write_what_can_be_written() -> None:
    """Make standard output and error replace characters that their encoding lacks, such as ± by +-."""
    codecs.register_error(INSTEAD, _instead)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=INSTEAD)


@contextmanager
def damage_shown() -> Iterator[None]:
    """Print each warning of `REMARKS`, such as that of a damaged store, once in one line on standard error."""
    shown: set[str] = set()
    show = warnings.showwarning

    def show_once(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, REMARKS):
            show(message, category, *where, **more)
        elif str(message) not in shown:
            shown.add(str(message))
            typer.echo(f"remark: {visible(str(message))}", err=True)

    with warnings.catch_warnings():
        for remark in REMARKS:
            warnings.filterwarnings("always", category=remark)
        warnings.showwarning = show_once
        yield


def silence_matplotlib() -> None:
    """Drop remarks about its cache of fonts and about its file of settings, which figures of manypath do not use.

    Without a writable home it takes a temporary folder for the cache.
    """
    for name in ("matplotlib", "matplotlib.font_manager"):
        logging.getLogger(name).addFilter(_concerns_figures)


def _concerns_figures(record: logging.LogRecord) -> bool:
    return not str(record.msg).lstrip().startswith((*ABOUT_THE_CACHE, *ABOUT_SETTINGS))


def _instead(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of characters that cannot be encoded; an escape sequence if none is similar."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    alike = (ALIKE.get(character) or ascii(character)[1:-1] for character in lacking)
    return "".join(alike), error.end


def _end_with(error: OSError) -> NoReturn:
    """End the program after a system error that no command handled.

    Commands handle errors of their own files. So a write error without a file name is one of standard output, and an
    error with a file name is outside the commands, such as in shell completion.
    """
    if error.filename is not None:
        typer.echo(f"error: {error.filename}: cannot be used: {error.strerror}", err=True)
        sys.exit(BROKEN)
    if error.errno not in REFUSED:
        raise error
    if error.errno != errno.EPIPE:
        typer.echo(f"error: standard output: cannot be written: {error.strerror}", err=True)
    # At exit, the interpreter would write the rest of its buffer again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    sys.exit(BROKEN)


REFUSED = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Errors of writing to a stream."""

ABOUT_THE_CACHE = ("mkdir -p failed", "Matplotlib created a temporary", "Matplotlib is building the font cache")
"""First words of remarks of matplotlib."""

ABOUT_SETTINGS = ("Missing colon", "Duplicate key", "Bad value in file", "Bad key", "Cannot decode configuration")
"""First words of its remarks about lines of the file `matplotlibrc`."""

REMARKS = (StoreWarning, BackendWarning)
"""Warnings that are printed as remarks."""

INSTEAD = "manypath.instead"
"""Name of the error handler that replaces characters."""

ALIKE = {"±": "+-", "µ": "u", "…": "...", "–": "-"}
"""Characters of our output, and their replacements in ASCII."""

BROKEN = 1
"""Exit code for an internal error or a failed device."""

WRONG_INPUT = 2
"""Exit code for invalid input."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""
