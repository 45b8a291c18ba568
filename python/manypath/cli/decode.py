"""`manypath decode`: the packets of an SCTP capture as lines, and a summary as tables."""

from __future__ import annotations

import json
import re
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from manypath import _native
from manypath.cli.output import print_json
from manypath.errors import Stopped, UserError, encodable, quoted, remedy, visible

RIGHT = "give the path of a pcapng or pcap file"
"""The valid alternative to a file that is no capture."""

OS_ERROR = re.compile(r" \(os error \d+\)$")
"""The number that Rust adds to the reason of a system error."""

UDP_PORT = 9899
"""Port of SCTP over UDP, RFC 6951."""


def decode(
    file: Annotated[Path, typer.Argument(help="Capture as pcapng or pcap.")],
    port: Annotated[
        int, typer.Option(metavar="N", min=1, max=65535, help="UDP source or destination port of SCTP over UDP.")
    ] = UDP_PORT,
    interface: Annotated[
        str | None, typer.Option(metavar="NAME", help="Read only the packets of this interface of a pcapng file.")
    ] = None,
    any_checksum: Annotated[
        bool,
        typer.Option(
            "--any-checksum",
            help="Also read packets with a wrong checksum, as in captures with checksum offload.",
        ),
    ] = False,
    summary: Annotated[bool, typer.Option("--summary", help="Print the summary only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each packet.")] = False,
) -> None:
    """Print the packets of an SCTP capture, and a summary of its associations, paths, SACKs and losses."""
    called = visible(str(file))
    try:
        is_folder = stat.S_ISDIR(file.stat().st_mode)
    except FileNotFoundError:
        raise UserError(f"{called}: there is no such file: {RIGHT}") from None
    except OSError as error:
        raise UserError(f"{called}: cannot be read: {error.strerror}: {RIGHT}") from None
    if is_folder:
        raise UserError(f"{called}: is a folder: {RIGHT}")
    form = "" if summary else "json" if as_json else "line"
    wrong: UserError | None = None
    with _ended_by_ctrl_c(file):
        try:
            # No interface has a name with invalid characters, which the engine cannot take.
            named = None if interface is None else encodable(interface)
            capture = _native.Capture(file, form, port, named, any_checksum)
        except _native.DecodeError as error:
            raise _mistake(file, error) from None
        try:
            _print_packets(capture)
        except _native.DecodeError as error:
            wrong = _mistake(file, error)
        except KeyboardInterrupt:
            raise Stopped("stopped before the end of the capture") from None
    contents = json.loads(capture.summary())
    if wrong is None and interface is not None and interface not in contents["interfaces"]:
        raise UserError(
            f"--interface: {quoted(interface)} has no frames in {called}: {_choice(interface, contents['interfaces'])}"
        )
    _print_summary(contents, file, port, only=summary, as_json=as_json, complete=wrong is None)
    if wrong is not None:
        raise wrong


@contextmanager
def _ended_by_ctrl_c(file: Path) -> Iterator[None]:
    """Let Ctrl-C end the process while a pipe or a device is read, which may never send anything.

    Python would handle Ctrl-C only after the engine has opened the pipe or read from it.
    """
    waits = not file.is_file() and threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    # A shell starts background processes with the signal ignored.
    if not waits or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _mistake(file: Path, error: _native.DecodeError) -> UserError:
    """Return the error of the engine as a message."""
    called, said = visible(str(file)), OS_ERROR.sub("", str(error))
    return UserError(f"{called}: {said}: {RIGHT}" if said.startswith("cannot be read") else f"{called}: {said}")


def _print_packets(capture: _native.Capture) -> None:
    for lines in capture:
        if lines:
            # Typer ignores a closed standard output.
            typer.echo(lines, nl=False)


def _choice(interface: str, names: list[str]) -> str:
    """Return the hint for an interface without frames."""
    return remedy(interface, names) if names else "no interface of the file has a name, so leave the option out"


def _print_summary(
    contents: dict[str, Any], file: Path, port: int, *, only: bool, as_json: bool, complete: bool
) -> None:
    """Print the summary; as JSON if it is the only output, and on standard error beside JSON lines."""
    from manypath.cli.decode_view import print_summary, remarks

    if as_json and only:
        print_json(contents)
    else:
        print_summary(contents, to_stderr=as_json)
    for remark in remarks(contents, port, complete=complete):
        typer.echo(f"remark: {visible(str(file))}: {remark}", err=True)
