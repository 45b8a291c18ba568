"""The report from a store without runs, and the contents of its pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import manypath as mp
from manypath import _native, papers
from manypath.cli import main
from manypath.papers import evaluate
from manypath.papers.paper import Paper
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.stages import stages
from manypath.report import cards, current
from manypath.report.build import Report, build, growing

PAPER = "dreibholz2011_impact"


@pytest.fixture(scope="module")
def store(figure5: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the results of one figure, two replications each, into which tests write."""
    return Path(shutil.copytree(figure5, tmp_path_factory.mktemp("report") / "runs"))


@pytest.fixture(scope="module")
def parts(store: Path) -> Sequence[PaperEvaluation]:
    """The evaluation of the figure that the store holds, which no test changes."""
    return evaluate([PAPER], figure=5, runs=2, store=store, progress=False).papers


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command line in this process, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["manypath", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def forbidden(*_: object) -> None:
    raise AssertionError("something was run")


def test_a_report_is_written_again_without_runs(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(_native, "run", forbidden)
    monkeypatch.setattr(_native, "run_batch", forbidden)
    arguments = [PAPER, "--figure", "5", "--runs", "2", "--store", str(store), "--report", str(tmp_path)]
    assert command(monkeypatch, "report", *arguments) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{PAPER}: ")
    assert printed[-1] == f"report: {tmp_path / 'index.html'}"
    assert 'id="C-000-31"' in (tmp_path / f"{PAPER}.html").read_text("utf-8")


def test_a_report_on_missing_runs_prints_the_command(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    arguments = [PAPER, "--figure", "5", "--runs", "3", "--store", str(store), "--report", str(tmp_path)]
    assert command(monkeypatch, "report", *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f'"manypath papers {PAPER} --figure 5 --runs 3 --store {store}" computes them' in line
    assert "of its runs are not in" in line
    assert list(tmp_path.iterdir()) == []


def test_a_report_of_all_papers_omits_and_names_papers_without_runs(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    # All papers are those of these lists.
    monkeypatch.setattr(papers, "NAMES", (PAPER, "honda2009_bmc"))
    monkeypatch.setattr(papers, "STUDIES", ())
    assert command(monkeypatch, "report", "--store", str(store), "--report", str(tmp_path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert any("manypath papers honda2009_bmc" in line for line in lines)
    assert not any("Traceback" in line for line in lines)


def test_a_missing_store_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "nowhere"
    assert command(monkeypatch, "report", "--store", str(folder)) == 2
    assert "is not a folder of results" in capsys.readouterr().err
    assert not folder.exists()


def test_incomplete_curves_are_sampled_again(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    whole = {path.name: path.read_bytes() for path in (store / "curves").iterdir()}
    assert whole
    torn = store / "curves" / min(whole)
    torn.write_bytes(whole[torn.name][:-100])
    with pytest.warns(mp.StoreWarning, match="has no complete curves"):
        evaluate([PAPER], figure=5, runs=2, store=store, progress=False)
    assert {path.name: path.read_bytes() for path in (store / "curves").iterdir()} == whole


@pytest.mark.usefixtures("undrawn")
def test_pages_show_the_times_of_runs_and_of_the_call_separately(store: Path, tmp_path: Path):
    (part,) = evaluate([PAPER], figure=5, runs=2, store=store, progress=False).papers
    evidence = part.evidence
    # Those of trials count, too.
    every = [*(evidence.runs(case) for case in evidence.cases()), *(runs for _, _, runs in evidence.trials())]
    for runs in every:
        for outcome in runs.outcomes:
            cast("dict[str, Any]", outcome)["cpu_seconds"] = 0.0
    cast("dict[str, Any]", every[0].outcomes[0])["cpu_seconds"] = 3725.0
    build([replace(part, seconds=61.0)], tmp_path)
    for page in ("index.html", f"{PAPER}.html"):
        words = " ".join((tmp_path / page).read_text("utf-8").split())
        assert re.search("rocessor time of (all|its) runs: 1:02:05", words), page
        assert re.search("uration of the call that wrote (the|this) page: 0:01:01", words), page


@pytest.mark.usefixtures("undrawn")
def test_the_index_lists_pages_of_earlier_calls_with_their_verdicts(parts: Sequence[PaperEvaluation], tmp_path: Path):
    index = build(parts, tmp_path)
    alone = index.read_text("utf-8")
    page = (tmp_path / f"{PAPER}.html").read_text("utf-8")
    earlier = page.replace(f"&#34;name&#34;: &#34;{PAPER}&#34;", "&#34;name&#34;: &#34;gonzalez2012_mptcp&#34;")
    assert earlier != page
    (tmp_path / "gonzalez2012_mptcp.html").write_text(earlier, "utf-8")
    build(parts, tmp_path)
    both = index.read_text("utf-8")
    links = [both.index(f'<a href="{name}.html">') for name in (PAPER, "gonzalez2012_mptcp")]
    assert links == sorted(links)
    squares = [both.count(f'href="{name}.html#') for name in (PAPER, "gonzalez2012_mptcp")]
    assert squares == [alone.count(f'href="{PAPER}.html#')] * 2
    assert squares[0] > 0


@pytest.mark.usefixtures("undrawn")
def test_a_page_that_another_process_adds_meanwhile_is_listed(
    parts: Sequence[PaperEvaluation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    index = build(parts, tmp_path)
    looks: list[int] = []

    def look(folder: Path) -> list[dict[str, Any]]:
        found = cards.cards_in(folder)
        looks.append(len(found))
        if len(looks) == 1:
            other = (tmp_path / f"{PAPER}.html").read_text("utf-8").replace(PAPER, "gonzalez2012_mptcp")
            (tmp_path / "gonzalez2012_mptcp.html").write_text(other, "utf-8")
        return found

    monkeypatch.setattr(sys.modules["manypath.report.build"], "cards_in", look)
    Report(tmp_path, []).list_pages()
    assert '<a href="gonzalez2012_mptcp.html">' in index.read_text("utf-8")


@pytest.mark.long
def test_a_figure_is_replaced_atomically(parts: Sequence[PaperEvaluation], tmp_path: Path):
    build(parts, tmp_path)
    figure = tmp_path / "figures" / PAPER / "figure5.png"
    end, torn, looks = figure.read_bytes()[-8:], list[int](), list[int]()
    is_done = threading.Event()

    def read() -> None:
        while not is_done.is_set():
            content = figure.read_bytes()
            looks.append(len(content))
            if content[-8:] != end:
                torn.append(len(content))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(3):
            (tmp_path / f"{PAPER}.html").unlink()
            build(parts, tmp_path)
    finally:
        is_done.set()
        reader.join()
    assert looks
    assert torn == []


@pytest.mark.long
def test_two_simultaneous_reports_into_one_folder_agree(store: Path, tmp_path: Path):
    words = [PAPER, "--figure", "5", "--runs", "2", "--store", str(store), "--report", str(tmp_path)]
    both = [
        subprocess.Popen([sys.executable, "-m", "manypath", "report", *words], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    printed = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], printed
    assert [path.name for path in tmp_path.rglob(".*")] == []
    assert (tmp_path / "index.html").read_text("utf-8").count(f'<a href="{PAPER}.html">') == 1
    assert (tmp_path / f"{PAPER}.html").read_text("utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize("name", ["index.html", f"{PAPER}.html", f"figures/{PAPER}/figure5.svg", "plotly.min.js"])
@pytest.mark.parametrize("word", ["papers", "report"])
def test_a_file_of_another_program_is_refused_before_work_begins(
    word: str,
    name: str,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr("manypath.papers.evaluation.Runner", forbidden)
    mine = tmp_path / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("<html>my own page</html>")
    assert command(monkeypatch, word, PAPER, "--store", str(store), "--report", str(tmp_path)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: --report: ")
    assert "manypath did not write it" in line
    assert mine.read_text() == "<html>my own page</html>"


def test_runs_are_made_per_figure_and_the_cheapest_figure_is_first(impact: Paper):
    cases = list(impact.experiments.cases(impact.quick))
    planned = stages(impact, impact.quick, impact.figures, cases)
    assert [figure.name for figure in planned[0].figures] == ["figure5"]
    assert {case.experiment for case in planned[0].cases} == {"figure5"}
    made = [case for stage in planned for case in stage.cases]
    assert len(made) == len(cases)
    assert set(made) == set(cases)
    assert {figure.name for stage in planned for figure in stage.figures} == {each.name for each in impact.figures}
    there: set[str] = set()
    for stage in planned:
        there |= {case.experiment for case in stage.cases}
        assert all(there >= set(figure.experiments) for figure in stage.figures)


@pytest.mark.usefixtures("undrawn")
def test_figures_are_shown_before_all_runs_are_finished(parts: Sequence[PaperEvaluation], tmp_path: Path):
    (part,) = parts
    missing = tuple(figure for figure in part.paper.figures if figure.number != 5)
    report = Report(tmp_path, [part.paper])
    index = report.add(replace(part, figure=None, claims=[], unfinished=missing))
    page = (tmp_path / f"{PAPER}.html").read_text("utf-8")
    for text in (page, index.read_text("utf-8")):
        assert "The runs for figures 2, 3, 4 and the claims were missing" in " ".join(text.split())
    assert page.count("<figure ") == 1
    assert [file.name for file in sorted(tmp_path.glob("figures/*/*"))] == ["figure5.pdf", "figure5.png", "figure5.svg"]
    report.add(part)
    for file in (index, tmp_path / f"{PAPER}.html"):
        assert "still to be made" not in file.read_text("utf-8")


@pytest.mark.usefixtures("undrawn")
def test_a_report_grows_while_a_paper_runs_and_shows_its_progress(
    impact: Paper, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    states: list[int | None] = []
    add = Report.add

    def spy(report: Report, part: PaperEvaluation) -> Path:
        states.append(None if part.unfinished is None else len(part.unfinished))
        return add(report, part)

    monkeypatch.setattr(Report, "add", spy)

    def run() -> None:
        grow = growing(tmp_path / "report", [impact])
        evaluate([PAPER], figure=5, runs=1, store=tmp_path / "runs", grow=grow)

    run()
    assert states == [0, None]
    assert f"report: {tmp_path / 'report' / 'index.html'} shows the first figures" in capsys.readouterr().err
    states.clear()
    run()
    # Stored runs are shown immediately.
    assert states == [None]


@pytest.mark.usefixtures("undrawn")
def test_every_table_has_a_caption_and_every_heading_a_scope(parts: Sequence[PaperEvaluation], tmp_path: Path):
    build(parts, tmp_path)
    page = (tmp_path / f"{PAPER}.html").read_text("utf-8")
    tables = re.findall(r"<table.*?</table>", page, flags=re.DOTALL)
    assert len(tables) > 2
    assert all("<caption" in table for table in tables)
    assert re.findall(r"<th(?! scope=)[ >]", page) == []


@pytest.mark.usefixtures("undrawn")
def test_a_page_is_drawn_again_only_if_its_contents_changed(
    store: Path, parts: Sequence[PaperEvaluation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    evaluated = {2: parts, 1: evaluate([PAPER], figure=5, runs=1, store=store, progress=False).papers}

    def report(runs: int, seconds: float = 1.0) -> dict[str, int]:
        build([replace(part, seconds=seconds) for part in evaluated[runs]], tmp_path)
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
