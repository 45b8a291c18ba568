"""Commands overwrite only their own files, check options before any run, and report write errors in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manypath import _native


@pytest.fixture
def command(
    tmp_path: Path,
    two_paths_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    called: Callable[..., Any],
) -> Callable[..., Any]:
    """Return a function that runs a command in a folder with files of a user: `command("run", "mine.toml", code=0)`."""
    monkeypatch.chdir(tmp_path)
    two_paths_file("mine.toml")
    Path("notes.txt").write_text("my notes\n")
    Path("link.toml").symlink_to("mine.toml")
    Path("hard.toml").hardlink_to("mine.toml")
    Path("mine.flows.csv").write_text("my,table\n")
    Path("report").mkdir()
    Path("report/anchors.html").write_text("<html>my anchors</html>\n")
    Path("report/dreibholz2011_impact.html").write_text("<html>my review</html>\n")
    Path("drawn/figures/dreibholz2011_impact").mkdir(parents=True)
    Path("drawn/figures/dreibholz2011_impact/figure2.svg").write_text("<svg>mine</svg>\n")
    Path("store").mkdir()
    Path("store/manifest.json").write_text("{}")

    return called


@pytest.fixture
def no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if a run begins."""

    def begun(*_: Any, **__: Any) -> None:
        pytest.fail("a run has begun")

    for name in ("run", "run_batch", "ideal_rates"):
        monkeypatch.setattr(_native, name, begun)
    monkeypatch.setattr("manypath.emulation.start", begun)
    monkeypatch.setattr("manypath.testbed.beside", begun)


SERIES = ["run", "mine.toml", "--series", "100 ms"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "mine.toml", "--pcapng", "mine.toml"], '--pcapng: "mine.toml" is an input file'),
        (["run", "mine.toml", "--events", "mine.toml"], '--events: "mine.toml" is an input file'),
        (["run", "mine.toml", "--events", "./link.toml"], '--events: "link.toml" is an input file'),
        (["run", "link.toml", "--pcapng", "mine.toml"], '--pcapng: "mine.toml" is an input file'),
        (["run", "mine.toml", "--pcapng", "hard.toml"], '--pcapng: "hard.toml" is an input file'),
        (
            ["run", "mine.toml", "--events", "notes.txt"],
            '"notes.txt" exists, and manypath did not write it as events',
        ),
        (["run", "mine.toml", "--pcapng", "notes.txt"], "manypath did not write it as a capture: choose another name"),
        (["run", "mine.toml", "--pcapng", "new", "--events", "new"], '--events: "new" is also the file of --pcapng'),
        (["run", "mine.toml", "--pcapng", "report"], '--pcapng: "report" is a folder'),
        (["run", "mine.toml", "--events", "no/where"], '--events: "no/where" cannot be written: No such file'),
        (["run", "mine.toml", "--output", "samples"], "--output: only valid with --series: give --series, too"),
        ([*SERIES, "--output", "samples", "--json"], "--output: not valid with --json, which prints the samples"),
        ([*SERIES, "--output", "notes.txt"], '--output: "notes.txt" is not a folder'),
        ([*SERIES, "--output", "/proc/samples"], '--output: "/proc/samples" cannot be written'),
        (SERIES, '--output: "mine.flows.csv" exists, and manypath did not write it as a table of these columns'),
        (["emulate", "mine.toml", "--pcapng", "mine.toml"], '--pcapng: "mine.toml" is an input file'),
        (["emulate", "mine.toml", "--pcapng", "notes.txt"], "manypath did not write it as a capture"),
        (["emulate", "mine.toml", "--pcapng", "/proc/x"], '--pcapng: "/proc/x" cannot be written'),
        (["anchors"], 'report: "report/anchors.html" exists, and manypath did not write it'),
        (["anchors", "--report", "notes.txt"], 'report: "notes.txt" is not a folder'),
        (["anchors", "--report", "/proc/report"], 'report: "/proc/report" cannot be written'),
        (["anchors", "--report", "new", "--workers", "-1"], "workers: -1 is not a number of threads"),
        (["anchors", "--report", "new", "--store", "notes.txt"], 'store: "notes.txt" is not a folder'),
        (["anchors", "--report", "new", "--store", "store"], "store: store belongs to another program"),
        (["papers", "dreibholz2011_impact"], '"report/dreibholz2011_impact.html" exists, and manypath did not'),
        (["papers", "dreibholz2011_impact", "--report", "drawn"], 'figure2.svg" exists, and manypath did not write'),
        (["papers", "--report", "notes.txt"], 'report: "notes.txt" is not a folder'),
        (["papers", "--report", "/proc/report"], 'report: "/proc/report" cannot be written'),
        (["papers", "--report", "new", "--workers", "0"], "workers: 0 is not a number of threads"),
        (["papers", "--report", "new", "--store", "notes.txt"], 'store: "notes.txt" is not a folder'),
        (["report", "dreibholz2011_impact", "--store", "."], '"report/dreibholz2011_impact.html" exists'),
        (["measure", "shared", "--store", "notes.txt"], 'store: "notes.txt" is not a folder'),
        (["measure", "shared", "--seed", "-1"], "--seed: -1 is too small: give 0 or more"),
    ],
)
@pytest.mark.usefixtures("no_run")
def test_a_wrong_option_is_refused_before_any_run(arguments: list[str], message: str, command, tmp_path: Path):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (line,) = command(*arguments, code=2).err.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_second_run_replaces_the_files_of_the_first(command):
    for series in ("100 ms", "event", "200 ms"):
        outputs = ["--output", "samples", "--pcapng", "a.pcapng", "--events", "a.jsonl"]
        printed = command("run", "mine.toml", "--series", series, *outputs).out
        assert "samples: samples/mine.paths.csv" in printed
        assert "packets: a.pcapng" in printed


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `manypath` is this package's command."""
    start = f'manypath() {{ "{sys.executable}" -m manypath "$@"; }}; set -o pipefail; {line}'
    return subprocess.run(
        ["/bin/bash", "-c", start],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("manypath list > /dev/full", "standard output: cannot be written: No space left on device"),
        pytest.param(
            "manypath list --json > /dev/full",
            "standard output: cannot be written: No space left on device",
            marks=pytest.mark.long,
        ),
        ("manypath run mine.toml > /dev/full", "standard output: cannot be written: No space left on device"),
        pytest.param(  # in the gate by a test of events
            "manypath run mine.toml --events /dev/full",
            '--events: "/dev/full" cannot be written: No space left on device',
            marks=pytest.mark.long,
        ),
        (
            "HOME=/proc SHELL=/bin/bash manypath --install-completion bash",
            '--install-completion: "/proc/.bash_completions/manypath.sh" cannot be written (No such file or directory)',
        ),
    ],
)
def test_a_write_error_prints_one_line_and_exits_with_code_1(line: str, message: str, two_paths_file, tmp_path: Path):
    two_paths_file("mine.toml")
    done = shell(line, tmp_path)
    assert done.returncode == 1
    (error,) = done.stderr.splitlines()
    assert error.startswith(f"error: {message}")


def test_a_closed_pipe_ends_a_command_silently(tmp_path: Path):
    done = shell("manypath list --json | head -1", tmp_path)
    assert (done.stdout, done.stderr) == ("{\n", "")
    assert shell("manypath list --json | true", tmp_path).stderr == ""
    # Without a standard output no message is possible.
    assert shell("manypath list >&-", tmp_path).stderr == ""
