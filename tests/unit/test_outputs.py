"""Output files never replace an input or a file of another program, and are checked before any work."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import manypath as mp
from manypath.errors import OutputError
from manypath.figures.picture import Picture
from manypath.outputs import CAPTURE, EVENTS, FIGURE, PAGE, Kind, Outputs, table, writing
from manypath.report.environment import environment


@pytest.fixture
def own(tmp_path: Path, scenario) -> dict[str, tuple[Kind, Path]]:
    """A file of each kind, written by this package."""
    from matplotlib.figure import Figure

    picture = Picture(Figure())
    mp.run(scenario(), capture=tmp_path / "own.pcapng", events=tmp_path / "own.jsonl")
    (tmp_path / "own.html").write_text(environment().get_template("base.html.j2").render(), encoding="utf-8")
    (tmp_path / "own.csv").write_text("flow,a b\ncmt,1\n", encoding="utf-8")
    kinds = {
        "own.pcapng": CAPTURE,
        "own.jsonl": EVENTS,
        "own.html": PAGE,
        "own.csv": table(["flow", "a b"]),
        **{picture.save(tmp_path / f"own.{ending}").name: FIGURE for ending in ("svg", "pdf", "png")},
    }
    return {name: (kind, tmp_path / name) for name, kind in kinds.items()}


def refusal(kind: Kind, target: str | Path, inputs: tuple[Path, ...] = (), **how: bool) -> str:
    """Return the error for a refused target."""
    with pytest.raises(mp.UserError) as error:
        Outputs(inputs).file("--to", target, kind, **how)
    (line,) = str(error.value).splitlines()
    return line


def test_a_file_of_ours_is_replaced_only_by_the_same_kind(own: dict[str, tuple[Kind, Path]]):
    for kind, path in own.values():
        before = path.read_bytes()
        assert Outputs().file("--to", path, kind) == path
        assert path.read_bytes() == before
        for other, _ in own.values():
            if other is not kind and not other.endings:
                assert "exists, and manypath did not write it" in refusal(other, path)


FOREIGN: dict[str, bytes] = {
    "notes.txt": b"my notes\n",
    "tcpdump.pcapng": b"\x0a\x0d\x0d\x0a\x2c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0"
    + b"\xff" * 8
    + b"\4\0\7\0tcpdump\0"
    + b"\x2c\0\0\0",
    "cut.pcapng": b"\x0a\x0d\x0d\x0a\xff\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0" + b"\xff" * 8 + b"\1\0\0\0",
    "binary": bytes(range(256)) * 300,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_program_is_refused_and_unchanged(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(FOREIGN[name])
    for kind in (CAPTURE, EVENTS, PAGE, table(["flow"])):
        assert refusal(kind, path).endswith("choose another name, or remove the file first")
    assert path.read_bytes() == FOREIGN[name]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_drawing_of_another_program_is_refused(ending: str, tmp_path: Path):
    from matplotlib.figure import Figure

    Figure().savefig(tmp_path / f"mine.{ending}")
    before = (tmp_path / f"mine.{ending}").read_bytes()
    with pytest.raises(mp.UserError, match="manypath did not write it as a figure"):
        Picture(Figure()).save(tmp_path / f"mine.{ending}")
    assert (tmp_path / f"mine.{ending}").read_bytes() == before


@pytest.mark.parametrize("link", [os.symlink, os.link, None])
def test_an_input_is_refused_under_any_name(link: Callable[[Path, Path], None] | None, tmp_path: Path):
    path, target = tmp_path / "mine.toml", tmp_path / ".." / tmp_path.name / "mine.toml"
    path.write_text("")  # an empty file may be replaced, but not an input
    if link is not None:
        target = tmp_path / "other"
        link(path, target)
    assert "is an input file: choose another name" in refusal(EVENTS, target, (path,))


def test_the_sign_of_standard_output_is_no_name_of_a_file():
    with pytest.raises(mp.UserError, match=r"^--plot: - is no file: give the name of one"):
        Outputs().file("--plot", "-", FIGURE)


def test_two_outputs_cannot_be_one_file(tmp_path: Path):
    outputs = Outputs()
    outputs.file("--events", tmp_path / "one", EVENTS)
    with pytest.raises(mp.UserError, match=r'--pcapng: ".*one" is also the file of --events'):
        outputs.file("--pcapng", tmp_path / "." / "one", CAPTURE)
    assert outputs.file("--events", "/dev/null", EVENTS) == outputs.file("--pcapng", "/dev/null", CAPTURE)


def test_empty_files_devices_and_pipes_are_accepted(tmp_path: Path):
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "empty", tmp_path / "pipe", "/dev/null", "/dev/full", tmp_path / "new"):
        Outputs().file("--to", target, EVENTS)
    assert not (tmp_path / "new").exists()


def test_an_unwritable_target_is_refused(tmp_path: Path):
    (tmp_path / "file").touch()
    assert "cannot be written: No such file" in refusal(EVENTS, tmp_path / "no" / "folder")
    assert "cannot be written: Not a directory" in refusal(EVENTS, tmp_path / "file" / "in it")
    assert "cannot be written: Not a directory" in refusal(EVENTS, tmp_path / "file" / "in it", makes_folder=True)
    assert "cannot be written" in refusal(EVENTS, "/proc/events")
    assert "cannot be written" in refusal(EVENTS, "/proc/a/b", makes_folder=True)
    assert "cannot be written: File name too long" in refusal(EVENTS, tmp_path / ("x" * 300))
    assert "cannot be written: embedded null byte" in refusal(EVENTS, "a\0b")
    assert "is a folder: name a file" in refusal(EVENTS, tmp_path)
    assert "is no name for a figure: end it with .svg, .pdf, .png" in refusal(FIGURE, tmp_path / "figure.jpeg")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_made_only_when_a_file_is_written(tmp_path: Path):
    (tmp_path / "file").touch()
    Outputs().folder("--to", tmp_path / "a" / "b")
    Outputs().file("--to", tmp_path / "a" / "b", EVENTS, makes_folder=True)
    for target in (tmp_path / "file", "/proc/folder", tmp_path / "file" / "in it"):
        with pytest.raises(mp.UserError, match="--to: "):
            Outputs().folder("--to", target)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_of_a_figure_is_reported_in_one_line(tmp_path: Path):
    from matplotlib.figure import Figure

    (tmp_path / "full.svg").symlink_to("/dev/full")
    with pytest.raises(OutputError, match=r'figure: ".*full.svg" cannot be written: No space left on device'):
        Picture(Figure()).save(tmp_path / "full.svg")


def test_a_table_is_recognised_by_a_part_of_its_header(tmp_path: Path):
    path = tmp_path / "runs.csv"
    path.write_text("north,replication,wait\n1,0,2\n", encoding="utf-8")
    for kind in (
        table(["north", "replication"], more="after"),
        table(["replication", "wait"], more="before"),
        table(["other"], ["north", "replication", "wait"]),
    ):
        Outputs().file("--frames", path, kind)
    for kind in (
        table(["north", "replication"]),
        table(["north", "repl"], more="after"),
        table(["lication", "wait"], more="before"),
    ):
        assert "of these columns" in refusal(kind, path)


def test_a_failed_write_is_reported_in_one_line():
    full = Path("/dev/full")
    with pytest.raises(OutputError, match='"/dev/full" cannot be written: No space left'), writing("--to", full):
        full.write_text("something")


@pytest.mark.parametrize("target", ["/no such disk/x.svg", "/no such disk/figures/x.svg"])
def test_a_missing_folder_at_the_top_of_the_disk_is_not_made(target: str):
    remedy = "No such file or directory: make its folder first or choose another place"
    assert refusal(FIGURE, target, makes_folder=True) == f'--to: "{target}" cannot be written: {remedy}'
    with pytest.raises(mp.UserError, match="make its folder first"):
        Outputs().folder("--to", target)
    with pytest.raises(mp.UserError, match="make its folder first"):
        mp.disjoint(a=mp.Link(rate="1 bit/s")).draw().save(target)
    assert not Path("/no such disk").exists()


@pytest.mark.skipif(not os.access("/", os.W_OK), reason="needs the right to make a folder at the top of the disk")
def test_a_folder_at_the_top_of_the_disk_may_be_named_itself(monkeypatch: pytest.MonkeyPatch):
    outputs = Outputs()
    assert outputs.folder("--store", "/results") == Path("/results")
    assert outputs.file("--store", "/results/a/b.svg", FIGURE, makes_folder=True) == Path("/results/a/b.svg")
    monkeypatch.chdir("/")
    assert Outputs().folder("--store", "runs/of today") == Path("runs/of today")
