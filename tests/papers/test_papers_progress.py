"""Progress of several papers: few lines in a log for an evaluation of any length, one bar on a terminal."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from small_paper import NAME, PAPER

from manypath.papers.evaluation import evaluate
from manypath.papers.progress import LONGEST_INTERVAL, PapersBar, PapersLines


@given(st.lists(st.floats(0.0, 7200.0), min_size=1, max_size=8))
def test_a_log_has_few_lines_for_papers_of_any_length(seconds):
    out, now = io.StringIO(), [0.0]
    lines = PapersLines(Console(file=out), len(seconds), clock=lambda: now[0])
    for number, long in enumerate(seconds):
        lines.begin_paper(f"paper{number}", 500)
        lines.begin(500, 0)
        for _ in range(500):
            now[0] += long / 500
            lines.advance(1)
        lines.end()
        lines.end_paper(f"paper{number}", long)
    # At most four lines within the first 15 minutes.
    assert len(out.getvalue().splitlines()) <= 2 * len(seconds) + 4 + now[0] / LONGEST_INTERVAL


def test_lines_name_the_paper_its_runs_and_its_time():
    out, now = io.StringIO(), [0.0]
    lines = PapersLines(Console(file=out), 2, clock=lambda: now[0])
    lines.begin_paper("one", 30)
    lines.begin(10, 4)
    lines.state("as expected")
    now[0] = 61.0
    lines.advance(2)
    lines.say("a store has other results")
    lines.begin(20, 0)
    lines.say("a store has other results")
    lines.end_paper("one", 61.0)
    first, progress, said, last = out.getvalue().splitlines()
    assert first == "one: paper 1 of 2, 30 runs"
    assert progress.startswith("one: 6 of 30 runs (")
    assert progress.endswith("; as expected")
    assert said == "a store has other results"
    assert last == "one: done in 1 min 1 s"


def test_further_runs_are_counted_apart_from_those_of_the_figures():
    out, now = io.StringIO(), [0.0]
    lines = PapersLines(Console(file=out), 1, clock=lambda: now[0])
    lines.begin_paper("one", 30)
    lines.begin(30, 30)
    # More replications of the same cases, and then runs for causes.
    for start, (total, stored) in {60.0: (40, 30), 200.0: (12, 2)}.items():
        lines.begin(total, stored)
        now[0] = start + 61.0
        lines.advance(5)
    first, more, causes = out.getvalue().splitlines()
    assert first == "one: paper 1 of 1, 30 runs"
    assert more.startswith("one: 35 of 40 further runs in this part (")
    assert causes.startswith("one: 7 of 12 further runs in this part (")


def test_a_terminal_counts_further_runs_apart():
    out = io.StringIO()
    bar = PapersBar(Console(file=out, force_terminal=True, width=120), 1)
    bar.begin_paper("one", 30)
    bar.begin(30, 0)
    bar.advance(30)
    bar.begin(12, 2)
    bar.advance(5)
    bar.close()
    drawn = out.getvalue()
    assert "one (1 of 1), further" in drawn
    assert "7/12" in drawn


def test_a_terminal_has_one_bar_until_the_end():
    out = io.StringIO()
    bar = PapersBar(Console(file=out, force_terminal=True, width=120), 2)
    bar.begin_paper("one", 30)
    bar.begin(10, 0)
    bar.advance(10)
    bar.end()
    bar.begin(20, 5)
    bar.advance(15)
    bar.end_paper("one", 61.0)
    bar.begin_paper("two", 7)
    bar.begin(7, 7)
    bar.close()
    drawn = out.getvalue()
    assert "one (1 of 2)" in drawn
    assert "one: done in 1 min 1 s" in drawn
    assert "two (2 of 2)" in drawn
    assert "7/7" in drawn


def test_an_evaluation_prints_a_line_at_the_beginning_and_at_the_end_of_a_paper(
    tmp_path, capsys: pytest.CaptureFixture[str]
):
    evaluate([PAPER], store=tmp_path)
    first, last = capsys.readouterr().err.splitlines()
    assert first == f"{NAME}: paper 1 of 1, 9 runs"
    assert last.startswith(f"{NAME}: done in ")
