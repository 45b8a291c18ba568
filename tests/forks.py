"""The command line in a forked process, which has its imports already: for tests that need no start of Python.

A start with its imports takes about a second of CPU time, a fork a few hundredths.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

WALL_SECONDS = 300
"""Time in seconds after which a command is killed."""

FORKS = multiprocessing.get_context("forkserver")
"""Forks children after all imports, so that a hundred commands take seconds."""
FORKS.set_forkserver_preload(
    [
        "manypath.cli.app",
        "manypath.campaign",
        "manypath.figures",
        "manypath.run",
        "manypath.papers",
        "manypath.report",
        "matplotlib.backends.backend_agg",
        "matplotlib.figure",
        "pandas",
        "pyarrow.parquet",
        "scipy.special",
    ]
)


def manypath(
    words: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    executable: Path = Path(sys.executable),
    stdin: Path = Path(os.devnull),
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own.

    Parameters
    ----------
    words
        Arguments of `manypath`.
    folder
        The working directory; by default that of this process.
    environment
        Variables in addition to those of this process.
    limits
        Limits of the process, such as ``{resource.RLIMIT_FSIZE: 1000}``.
    executable
        What the process takes for its Python: the programs of manypath are looked for beside it.
    stdin
        The file that it has as standard input.
    """
    with tempfile.TemporaryDirectory() as written:
        out, err = Path(written, "out"), Path(written, "err")
        variables = {**os.environ, **(environment or {})}
        streams = stdin.absolute(), out, err
        arguments = ([*words], folder or Path.cwd(), streams, variables, {**(limits or {})}, executable)
        child = FORKS.Process(target=_command, args=arguments)
        child.start()
        child.join(WALL_SECONDS)
        if child.exitcode is None:
            child.kill()
            child.join()
            raise AssertionError(f"manypath {' '.join(words)} had not ended after {WALL_SECONDS} s")
        said = (path.read_text("utf-8", errors="backslashreplace") for path in (out, err))
        return subprocess.CompletedProcess([*words], child.exitcode, *said)


def _command(
    words: Sequence[str],
    folder: Path,
    streams: tuple[Path, Path, Path],
    environment: Mapping[str, str],
    limits: Mapping[int, int],
    executable: Path,
) -> None:
    """Run the command in the child process, with files as its standard streams."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in enumerate(streams):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT if stream else os.O_RDONLY), stream)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(stream, mode) for stream, mode in ((0, "r"), (1, "w"), (2, "w")))
    set_limits({resource.RLIMIT_CORE: 0, **limits})
    sys.argv, sys.executable = ["manypath", *words], str(executable)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from manypath.__main__ import main

    main()


def set_limits(limits: Mapping[int, int]) -> None:
    """Limit resources of this process, which then writes no bytecode: others would read a truncated file of it."""
    sys.dont_write_bytecode = True
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))
