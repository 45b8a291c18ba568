"""Progress: the finished share, the speed, and the remaining time."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from manypath.campaign.progress import Lines, Speed, Terminal
from manypath.cli.run_progress import RunProgress, run_progress
from manypath.display import duration


@pytest.mark.parametrize(
    ("seconds", "message"),
    [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3 * 3600 + 125, "3 h 2 min"), (200_000, "2 days 7 h")],
)
def test_durations_have_at_most_two_units(seconds: float, message: str):
    assert duration(seconds) == message


def test_the_remaining_time_follows_from_the_rate_so_far():
    now = [100.0]
    speed = Speed(clock=lambda: now[0])
    assert speed.told(10) == ""
    now[0] += 20
    speed.advance(40)
    assert speed.told(120).startswith("(2/s), 1 min 0 s left, done at ")


def test_lines_are_plain_text_with_the_state_of_the_results():
    out = io.StringIO()
    lines = Lines(Console(file=out), "sweep", every_seconds=0)
    lines.begin(total=10, stored=4)
    lines.state("widest interval ±3.00%")
    lines.advance(2)
    first, second = out.getvalue().splitlines()
    assert first == "sweep: 10 runs, 4 of them already stored"
    assert second.startswith("sweep: 6 of 10 runs (")
    assert second.endswith("; widest interval ±3.00%")
    lines.begin(total=20, stored=6)
    assert len(out.getvalue().splitlines()) == 2


def test_a_terminal_shows_a_bar_and_removes_it():
    out = io.StringIO()
    bar = Terminal(Console(file=out, force_terminal=True, width=120), "sweep")
    bar.begin(total=10, stored=0)
    bar.advance(5)
    bar.state("widest interval ±3.00%")
    bar.say("a shard was set aside")
    bar.end()
    drawn = out.getvalue()
    assert "a shard was set aside" in drawn
    assert "5/10" in drawn
    assert "widest interval" in drawn


def test_a_run_prints_simulated_time_and_speed():
    now = [100.0]
    progress = RunProgress(Console(file=io.StringIO()), total=120.0, clock=lambda: now[0])
    now[0] += 2
    assert progress.line(30.0) == "30.0 of 120.0 s simulated, 15.0 s per second, 6 s left"
    assert progress.line(121.0).startswith("120.0 of 120.0 s")


def test_a_run_prints_the_size_of_the_files_that_it_writes(tmp_path: Path):
    now = [100.0]
    files = [tmp_path / "run.pcapng", tmp_path / "run.jsonl", Path("/dev/null")]
    progress = RunProgress(Console(file=io.StringIO()), 120.0, files, clock=lambda: now[0])
    now[0] += 2
    assert progress.line(30.0).endswith("6 s left")
    for file, size in zip(files, (1_450_000_000, 2_000_000), strict=False):
        with file.open("wb") as made:
            made.truncate(size)
    assert progress.line(30.0).endswith("6 s left, 1,452 MB written")


def test_progress_of_a_short_run_is_not_drawn_and_of_a_long_one_rarely():
    now = [100.0]
    out = io.StringIO()
    with RunProgress(Console(file=out, force_terminal=True, width=80), 120.0, clock=lambda: now[0]) as progress:
        now[0] += 0.9
        progress(10.0)
        assert out.getvalue() == ""
        for _ in range(10):
            now[0] += 0.1
            progress(20.0)
    assert 2 <= out.getvalue().count("20.0 of 120.0 s simulated") <= 7
    assert out.getvalue().endswith("\x1b[2K")


def test_a_run_with_output_to_a_file_prints_no_progress(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with run_progress(120.0) as progress:
        assert progress is None
