"""Files are written whole or not at all: a full disk changes no earlier file and leaves no part of a new one."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import manypath as mp
from manypath.cli import main
from manypath.errors import OutputError
from manypath.figures.picture import Picture
from manypath.replacement import remove_remains, replacement, replacing
from manypath.report.targets import replace_page

SMALL = 100
"""The largest file on the full disk, bytes."""


@contextmanager
def full_disk() -> Iterator[None]:
    """Let every write beyond `SMALL` bytes of a file fail."""
    before, writes_bytecode = resource.getrlimit(resource.RLIMIT_FSIZE), not sys.dont_write_bytecode
    # Python would keep truncated bytecode beside the modules that it imports, which each later process reads.
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = not writes_bytecode


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder, without those of the store."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith("runs/")}


def command(*words: str) -> None:
    """Run a command in the current folder; its errors are raised again."""
    sys.argv = ["manypath", *words]
    with pytest.raises(SystemExit) as exit_:
        main()
    if exit_.value.code:
        raise OutputError(f"code {exit_.value.code}")


def figure(ending: str) -> None:
    from matplotlib.figure import Figure

    Picture(Figure()).save(f"out/own.{ending}")


def short() -> mp.Scenario:
    link = mp.Link(rate="1 Mbit/s", delay="10 ms")
    return mp.Scenario(network=mp.disjoint(a=link), flows={"f": mp.Sctp(paths=["a"])}, warmup="0 s", measure="2 s")


SCENARIO = """\
warmup = "0 s"
measure = "2 s"
network.disjoint.a = { rate = "1 Mbit/s", delay = "10 ms" }
flows.f = { paths = ["a"] }
"""

SWEEP = """\
replications = 1
factors.cc = { field = "flows.f.cc", values = ["newreno", "cubic"] }
[scenario]
warmup = "0 s"
measure = "2 s"
network.disjoint.a = { rate = "1 Mbit/s", delay = "10 ms" }
flows.f = { paths = ["a"] }
"""

WRITERS: dict[str, Callable[[], object]] = {
    "a figure as SVG": lambda: figure("svg"),
    "a figure as PDF": lambda: figure("pdf"),
    "a figure as PNG": lambda: figure("png"),
    "a page": lambda: replace_page(Path("out/page.html"), "a page\n" * 100),
    "samples": lambda: command("run", "one.toml", "--series", "100 ms", "--output", "out"),
    "frames": lambda: command("sweep", "sweep.toml", "--frames", "out"),
    "examples": lambda: command("examples", "out"),
}
"""Calls and commands that write files, with the same names each time."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a scenario and a sweep."""
    (tmp_path / "one.toml").write_text(SCENARIO)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    return tmp_path


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_no_part_of_a_file_and_keeps_the_earlier_one(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    given = files(folder)
    if name == "frames":
        command("sweep", "sweep.toml")  # a full store is another matter
    with full_disk(), pytest.raises(OutputError) as error:
        WRITERS[name]()
    assert files(folder) == given
    said = capsys.readouterr().err.splitlines()
    line = next(filter(lambda line: line.startswith("error: "), said), f"error: {error.value}")
    assert "cannot be written: File too large" in line
    assert "out" in line
    assert ".manypath" not in line
    WRITERS[name]()
    whole = files(folder)
    assert len(whole) > len(given)
    if name == "examples":
        next(Path("out").iterdir()).unlink()
        whole = files(folder)
    with full_disk(), pytest.raises(OutputError):
        WRITERS[name]()
    assert files(folder) == whole


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_full_disk_leaves_no_table_of_an_export(form: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    command("sweep", "sweep.toml")
    given = files(folder)
    with full_disk(), pytest.raises(OutputError):
        command("store", "export", "sweep", "out", "--format", form)
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert line.startswith(f'error: TARGET: "out/flows.{form}" cannot be written: File too large')
    assert files(folder) == given
    command("store", "export", "sweep", "out", "--format", form)
    assert len(files(folder)) > len(given)


def interrupted(target: Path) -> None:
    """Write a half of a file, and end as by Ctrl-C."""
    with replacing("--to", target) as begun:
        begun.write_text("half")
        raise KeyboardInterrupt


def test_an_interrupted_writer_leaves_the_earlier_file(tmp_path: Path):
    (tmp_path / "a").write_text("good")
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "a")
    assert files(tmp_path) == {"a": b"good"}


def test_a_reader_finds_the_earlier_file_until_the_new_one_is_complete(tmp_path: Path):
    (tmp_path / "a").write_text("good")
    with replacement(tmp_path / "a", is_lasting=True) as begun:
        begun.write_text("better")
        assert (tmp_path / "a").read_text() == "good"
    assert files(tmp_path) == {"a": b"better"}


def test_the_file_of_a_killed_writer_is_removed_and_that_of_a_running_one_stays(tmp_path: Path):
    killed, foreign = tmp_path / f".manypath.{'0' * 32}.tmp", tmp_path / ".manypath.notes.tmp"
    killed.write_text("half")
    foreign.write_text("mine")
    os.mkfifo(tmp_path / f".manypath.{'1' * 32}.tmp")
    with replacing("--to", tmp_path / "a") as running:
        assert not killed.exists()
        remove_remains(tmp_path)
        assert running.exists()
        with replacing("--to", tmp_path / "b") as begun:
            begun.write_text("b")
        running.write_text("a")
    assert files(tmp_path) == {"a": b"a", "b": b"b", foreign.name: b"mine"}


def test_rights_and_links_of_a_replaced_file_stay(tmp_path: Path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a").write_text("old")
    (tmp_path / "far/a").chmod(0o640)
    (tmp_path / "a").symlink_to("far/a")
    (tmp_path / "b").symlink_to("far/b")
    for name in ("a", "b"):
        with replacing("--to", tmp_path / name) as begun:
            begun.write_text("new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "far" / name).read_text() == "new"
    assert (tmp_path / "far/a").stat().st_mode & 0o777 == 0o640


def test_devices_pipes_and_open_files_are_written_directly(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "open").open("w") as out:
        for target in ("/dev/null", tmp_path / "pipe", f"/dev/fd/{out.fileno()}", f"/proc/self/fd/{out.fileno()}"):
            with replacing("--to", target) as begun:
                assert begun == Path(target)
    full = pytest.raises(OutputError, match=r'^--to: "/dev/full" cannot be written: No space left')
    with full, replacing("--to", "/dev/full") as begun:
        begun.write_text("something")


def test_a_missing_folder_is_named(tmp_path: Path):
    said = pytest.raises(OutputError, match=r'^--to: ".*no/a" cannot be written: No such file or directory')
    with said, replacing("--to", tmp_path / "no/a"):
        pass
