"""Another program as a runner: a command line that prints numbers on its standard output."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from manypath import _native
from manypath.arguments import span, text
from manypath.campaign.cell import Cell
from manypath.campaign.runners.function import STOPPED, VERSION
from manypath.campaign.runners.row import read_row, row
from manypath.campaign.runners.runner import Halt, JsonOrError, OfFactors, chance
from manypath.errors import UserError, quoted, remedy
from manypath.quantity import SPAN


class Command(OfFactors):
    """Runs a program for each cell, without a shell, and reads numbers from its standard output.

    The program prints one JSON object of names and numbers, or lines ``NAME VALUE``. An exit code other than 0, or a
    number with the name of a factor, ends the campaign after the current runs.

    Parameters
    ----------
    template
        Command line; ``{NAME}`` is the value of a factor, ``{seed}`` a seed from 1 to 2^31 - 1 for the program's random
        numbers (equal for equal replications), ``{replication}`` the number of the replication.
    version
        Version of the program, which identifies its results: with a new version all runs are computed again. By default
        a hash of the template and of the files that it names, including the program.
    timeout
        Longest duration of a run: ``"10 min"``.

    Raises
    ------
    UserError
        If there is no such program, or the template cannot be read.

    Examples
    --------
    >>> import manypath as mp
    >>> program = mp.Command("echo sent {rate}", version="1")
    >>> results = mp.Campaign(program, {"rate": [2, 4]}, replications=1).run(store=None, progress=False)
    >>> results.runs
       rate  replication  sent
    0     2            0   2.0
    1     4            0   4.0
    """

    def __init__(self, template: str, version: str | None = None, timeout: str = "1 h") -> None:
        self.template = template
        self._words = _words(text("command", template, 'a command line such as "program {rate} {seed}"'))
        self._timeout = span("timeout", timeout) / SPAN.units["s"]
        own = _files_hash(self._words) if version is None else text("version", version, VERSION)
        self._version = f"{template}:{own}"

    @property
    @override
    def version(self) -> str:
        """Template and version."""
        return self._version

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Refuse a template with unknown factors."""
        for document in dict.fromkeys(cell.document for cell in cells):
            self._line({**json.loads(document), "seed": 0, "replication": 0})

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Run the program for the cells in sequence."""
        return [self._run(cell, halt) for cell in cells]

    @override
    def check_factors(self, documents: Iterable[str]) -> None:
        """Refuse a template with unknown factors, and factors with two values that give the same command."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for factors in map(json.loads, documents):
            line = self._line({**factors, "seed": 0, "replication": 0})
            before = found.setdefault(tuple(line), factors)
            if before is not factors:
                name = next(name for name, value in factors.items() if quoted(value) != quoted(before[name]))
                same = f"{quoted(before[name])} and {quoted(factors[name])} give the same command"
                right = f"write {{{name}}} into {quoted(self.template)}"
                if f"{{{name}" in self.template:
                    right = "give values that differ there"
                raise UserError(f"factors.{name}: {same}: {right}, or leave the factor out")

    def _run(self, cell: Cell, halt: Halt) -> JsonOrError:
        values = {**json.loads(cell.document), "seed": chance(cell), "replication": cell.replication}
        line = self._line(values)
        try:
            return row(read_row(self._output(line, halt)), cell.factors)
        except (ValueError, OSError) as error:
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: `{shlex.join(line)}` {error}")

    def _output(self, line: Sequence[str], halt: Halt) -> str:
        """Return the output of the program; its own process group keeps Ctrl-C from it, so that it finishes."""
        with subprocess.Popen(  # noqa: S603 - the command is the user's
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            deadline = time.monotonic() + self._timeout
            while True:
                try:
                    out, errors = process.communicate(timeout=0.1)
                    break
                except subprocess.TimeoutExpired:
                    if halt.is_set() or time.monotonic() > deadline:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.communicate()
                        took = f"took longer than {self._timeout:g} s: increase timeout, or shorten the run"
                        raise ValueError(STOPPED if halt.is_set() else took) from None
        if process.returncode != 0:
            last = (errors.strip().splitlines() or ["it printed nothing"])[-1]
            raise ValueError(f"ended with {process.returncode}: {last}")
        return out

    def _line(self, values: dict[str, Any]) -> list[str]:
        try:
            return [word.format(**values) for word in self._words]
        except (KeyError, IndexError) as error:
            name = str(error.args[0]) if isinstance(error, KeyError) else ""
            raise UserError(f'command: "{{{name}}}" is no factor: {remedy(name, values)}') from None
        except (ValueError, AttributeError) as error:
            raise UserError(
                f"command: {self.template} has invalid braces ({error}): double braces that are not placeholders"
            ) from None


def _words(template: str) -> list[str]:
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise UserError(f"command: {template} is no command line ({error}): close its quotes") from None
    if not words:
        raise UserError("command: is empty: name a program and its arguments")
    if "{" not in words[0] and shutil.which(words[0]) is None:
        raise UserError(f"command: there is no program {quoted(words[0])}: install it or give its path")
    return words


def _files_hash(words: Sequence[str]) -> str:
    """Return a hash of the words and of the files among them, so that a change of the program or its inputs counts."""
    digest = hashlib.sha256("\0".join(words).encode())
    for word in words:
        file = Path(shutil.which(word) or word) if word == words[0] else Path(word)
        if "{" not in word and file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
