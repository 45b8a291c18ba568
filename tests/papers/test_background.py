"""Evaluations are passed on beside the runs, in their order, and errors and Ctrl-C end both."""

import threading

import pytest
from small_paper import NAME, PAPER

from manypath.errors import OutputError, Stopped
from manypath.papers.background import Background
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Evidence
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.report import growing
from manypath.report.build import Report


def part(figure: str) -> PaperEvaluation:
    return PaperEvaluation(PAPER, PAPER.quick, figure, Evidence({}), [])


class Slow:
    """A receiver that waits until it is allowed to finish."""

    def __init__(self) -> None:
        self.begun, self.allowed, self.stopped = (threading.Event() for _ in range(3))
        self.got: list[str | None] = []

    def __call__(self, part: PaperEvaluation) -> None:
        self.begun.set()
        self.allowed.wait()
        self.got.append(part.figure)

    def stop(self) -> None:
        self.stopped.set()
        self.allowed.set()


def test_the_runs_go_on_while_an_evaluation_is_received():
    slow = Slow()
    with Background(slow) as grow:
        grow(part("1"))
        slow.begun.wait()
        # The thread is busy, and this call returns nevertheless.
        grow(part("2"))
        assert slow.got == []
        slow.allowed.set()
    assert slow.got == ["1", "2"]
    assert not slow.stopped.is_set()


def test_an_error_of_the_receiver_is_raised_at_the_end():
    def refuse(_: PaperEvaluation) -> None:
        raise OutputError("report: no room")

    with pytest.raises(OutputError, match="no room"), Background(refuse) as grow:
        grow(part("1"))


def test_ctrl_c_stops_the_receiver_and_leaves_out_what_waits():
    slow = Slow()

    def interrupted() -> None:
        with Background(slow) as grow:
            grow(part("1"))
            grow(part("2"))
            slow.begun.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert slow.stopped.is_set()
    assert slow.got == ["1"]


def test_a_stopped_report_draws_no_further_figure(tmp_path):
    (done,) = evaluate([PAPER], store=None, progress=False).papers
    grow = growing(tmp_path, [PAPER])
    grow.stop()
    with pytest.raises(Stopped, match="stopped: finished results are kept"):
        grow(done)
    assert not [*tmp_path.glob("figures/*/*")]


def test_each_figure_is_drawn_once_while_a_paper_is_run(tmp_path, monkeypatch):
    drawn: list[str] = []
    draw = Report._drawing

    def spy(report, part, figure, evidence):
        drawn.append(figure.name)
        return draw(report, part, figure, evidence)

    monkeypatch.setattr(Report, "_drawing", spy)
    grow = growing(tmp_path, [PAPER])
    evaluate([PAPER], store=tmp_path / "runs", progress=False, grow=grow, causes=False)
    assert sorted(drawn) == ["figure1", "figure2"]
    assert len([*(tmp_path / "figures" / NAME).iterdir()]) == 6
    # Other runs of the same figure are drawn.
    evaluate([PAPER], store=tmp_path / "runs", progress=False, grow=grow, causes=False, runs=2)
    assert len(drawn) == 4
