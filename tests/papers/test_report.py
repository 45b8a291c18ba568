"""The report from a store alone, and what its pages hold."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from manypath import _native
from manypath.cli import main
from manypath.papers import evaluate
from manypath.papers.evaluation import Evaluation
from manypath.report import current

PAPER = "dreibholz2011_impact"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of one figure, two replications each."""
    folder = tmp_path_factory.mktemp("runs")
    evaluate([PAPER], figure=5, runs=2, store=folder, progress=False)
    return folder


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command line here, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["manypath", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def forbidden(*_: object) -> None:
    raise AssertionError("something was run")


def test_a_report_is_written_again_without_running_anything(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(_native, "run", forbidden)
    monkeypatch.setattr(_native, "run_batch", forbidden)
    arguments = [PAPER, "--figure", "5", "--runs", "2", "--store", str(store), "--report", str(tmp_path)]
    assert command(monkeypatch, "report", *arguments) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{PAPER}: ")
    assert said[-1] == f"report: {tmp_path / 'index.html'}"
    assert 'id="C-000-31"' in (tmp_path / f"{PAPER}.html").read_text("utf-8")


def test_a_report_on_what_was_not_run_names_the_command_that_runs_it(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    arguments = [PAPER, "--figure", "5", "--runs", "3", "--store", str(store), "--report", str(tmp_path)]
    assert command(monkeypatch, "report", *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f'"manypath papers {PAPER} --figure 5 --runs 3 --store {store}" computes them' in line
    assert "of its runs are not in" in line
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_papers_that_were_not_run_are_left_out_and_named(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert command(monkeypatch, "report", "--store", str(store), "--report", str(tmp_path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert any("manypath papers honda2009_bmc" in line for line in lines)
    assert not any("Traceback" in line for line in lines)


def test_a_store_that_is_not_there_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "nowhere"
    assert command(monkeypatch, "report", "--store", str(folder)) == 2
    assert "is no folder of results" in capsys.readouterr().err
    assert not folder.exists()


def test_curves_that_were_not_written_to_their_end_are_sampled_again(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = {path.name: path.read_bytes() for path in (store / "curves").iterdir()}
    assert whole
    torn = store / "curves" / min(whole)
    torn.write_bytes(whole[torn.name][:-100])
    evaluate([PAPER], figure=5, runs=2, store=store, progress=False)
    assert {path.name: path.read_bytes() for path in (store / "curves").iterdir()} == whole


def test_pages_tell_the_time_of_the_runs_from_that_of_the_call(store: Path, tmp_path: Path):
    (part,) = evaluate([PAPER], figure=5, runs=2, store=store, progress=False).papers
    spent = {case: part.evidence.runs(case) for case in part.evidence.cases()}
    for runs in spent.values():
        for outcome in runs.outcomes:
            cast("dict[str, Any]", outcome)["cpu_seconds"] = 0.0
    cast("dict[str, Any]", next(iter(spent.values())).outcomes[0])["cpu_seconds"] = 3725.0
    Evaluation([replace(part, seconds=61.0)]).write_report(tmp_path)
    for page in ("index.html", f"{PAPER}.html"):
        words = " ".join((tmp_path / page).read_text("utf-8").split())
        assert "runs took 1:02:05 of processor time when they were made" in words, page
        assert "took 0:01:01" in words, page


def test_a_page_is_drawn_again_only_if_something_in_it_changed(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def report(runs: int, seconds: float = 1.0) -> dict[str, int]:
        parts = evaluate([PAPER], figure=5, runs=runs, store=store, progress=False).papers
        Evaluation([replace(part, seconds=seconds) for part in parts]).write_report(tmp_path)
        files = [*tmp_path.glob("*.html"), *tmp_path.glob("figures/*/*")]
        return {file.name: file.stat().st_mtime_ns for file in files if file.name != "index.html"}

    first = report(2)
    assert report(2, seconds=100.0) == first
    next(tmp_path.glob("figures/*/*.svg")).unlink()
    after_loss = report(2)
    assert after_loss.keys() == first.keys()
    assert all(after_loss[name] > first[name] for name in first)
    fewer = report(1)
    assert all(fewer[name] > after_loss[name] for name in first)
    monkeypatch.setattr(current, "SOURCES", tmp_path)
    assert report(1) != fewer
