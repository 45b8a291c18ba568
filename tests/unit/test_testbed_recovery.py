"""Recovery from a path that goes down and up: the two times, the plan, the command and its page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manypath as mp
from lists import cases
from manypath import testbed
from manypath.campaign import Cell
from manypath.report.measured_recovery import mean
from manypath.studies.failover.figures import RULES
from manypath.testbed import recovery
from manypath.testbed.calibration import Calibration
from manypath.testbed.recovery import (
    CONTESTANTS,
    DOWN,
    END,
    EVERY,
    FAILING,
    UP,
    Recovery,
    RecoveryPlan,
    Times,
    of_measurement,
    of_simulation,
    rejoined,
    resumed,
    scenario,
)
from real_time import needs_stack, undisturbed


def instants(*spans: tuple[float, float]) -> np.ndarray:
    """Return instants every 0.1 s within some spans."""
    return np.concatenate([np.arange(begin, end, 0.1) for begin, end in spans])


def test_a_flow_without_a_silence_resumes_at_once():
    assert resumed(instants((0, END))) == 0.0
    # Silences before the failure and after the repair have other causes
    assert resumed(instants((0, 2), (3, 20), (25, END))) == 0.0
    assert resumed(instants((0, DOWN), (DOWN + 0.2, END))) == 0.0


def test_a_flow_resumes_at_the_end_of_its_last_silence_of_the_failure():
    assert resumed(instants((0, DOWN), (DOWN + 1.5, END))) == pytest.approx(1.5)
    assert resumed(instants((0, DOWN), (6, 7), (UP - 1, END))) == pytest.approx(UP - 1 - DOWN)
    assert resumed(instants((0, DOWN), (UP + 3, END))) == pytest.approx(UP + 3 - DOWN)
    assert resumed(instants((0, DOWN))) == END - DOWN


def test_a_path_rejoins_when_it_carries_more_than_single_packets():
    times = np.arange(0.1, END, 0.1)
    rates = np.where((times < DOWN) | (times > UP + 2), 9.0, 0.0)
    rates[(times > UP + 0.5) & (times < UP + 0.7)] = 0.12
    assert rejoined(times, rates) == pytest.approx(2.0, abs=0.11)
    assert rejoined(times, np.where(times < DOWN, 9.0, 0.0)) == END - UP


def test_a_time_that_is_not_over_is_shown_as_a_bound():
    assert mean([1.0, 1.0], DOWN) == "1.00 ± 0.00"
    assert mean([1.5], DOWN) == "1.50"
    assert mean([1.0, END - DOWN], DOWN).startswith("≥ ")


def test_a_measured_course_is_evaluated():
    times = np.round(np.arange(0.0, END + 0.05, 0.1), 6)
    is_silent = (times > DOWN) & (times < DOWN + 2)
    received = np.cumsum(np.where(is_silent, 0, 125_000))
    is_down = (times > DOWN) & (times < UP + 1)
    carried = np.cumsum(np.where(is_down, 0, 100_000))
    course = {
        "received": {"flow": list(zip(times.tolist(), received.tolist(), strict=True))},
        "links": {FAILING: list(zip(times.tolist(), carried.tolist(), strict=True))},
    }
    found = of_measurement({"course": course, "marks": "late", "tries": 2})
    assert (found.resumed, found.rejoined) == (pytest.approx(2.0), pytest.approx(1.0))
    assert found.course[[0, 1, 10, 11, 12, 20]] == pytest.approx([10, 10, 0, 0, 0, 10], abs=2.1)
    assert len(found.course) == END / 0.5
    whole = Recovery(CONTESTANTS[0], [found, Times(0, 0, found.course)], [])
    assert (whole.marks, whole.again) == (("late",), 1)


@pytest.mark.parametrize(
    "contestant", [each for each in CONTESTANTS if each.stack == "manypath"], ids=lambda it: it.title
)
def test_a_simulated_association_resumes_as_its_rules_say(contestant: recovery.Contestant):
    found = of_simulation(mp.run(scenario(contestant.flow), series=f"{1000 * EVERY:g} ms").series)
    # Timeouts double from RTO.Min, 1 s: the timer expires 1, 3, 7 and 15 s after the failure
    if contestant.title.endswith(RULES[0]):
        assert 1.0 <= found.resumed <= 1.3
    else:
        assert 15.0 <= found.resumed <= 15.3
    assert 5.0 <= found.rejoined <= 5.3
    # Both paths carry 10 Mbit/s each, less headers
    assert found.course[4:9] == pytest.approx(19.3, abs=0.5)


def test_nothing_arrives_in_the_course_of_a_silence():
    # A receiver of the kernel notes the last bytes before a silence only at its next note
    received = [(0.0, 0), (1.0, 1_000_000), (9.0, 1_100_000), (10.0, 2_000_000), (END, 2_000_000)]
    course = {"received": {"flow": received}, "links": {FAILING: [(0.0, 0), (END, 0)]}}
    found = of_measurement({"course": course, "marks": "", "tries": 1}).course
    assert found[2:17] == pytest.approx(np.zeros(15))
    assert found.sum() == pytest.approx(2 * 16)


def test_stacks_alternate_and_every_contestant_runs_as_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    ran: list[tuple[str, int]] = []
    points = [(0.0, 0), (END, 1000)]
    outcome = {
        "flows": {},
        "course": {"received": {"flow": points}, "links": {FAILING: points}},
        "marks": "",
        "tries": 1,
    }

    def run(self: testbed.Testbed, cells: Sequence[Cell], *_: Any) -> list[str]:
        ran.extend((str(cell.factors["contestant"]), cell.replication) for cell in cells)
        return [json.dumps(outcome) for _ in cells]

    monkeypatch.setattr(testbed.Testbed, "run", run)
    monkeypatch.setattr(testbed.Testbed, "prepare", lambda *_: None)
    monkeypatch.setattr(
        testbed.Testbed, "version", property(lambda each: "-".join(["testbed:1", *map("=".join, each.stacks.items())]))
    )
    monkeypatch.setattr(RecoveryPlan, "_simulated", lambda *_: Times(0, 0, np.zeros(60)))
    plan = RecoveryPlan(runs=2)
    assert plan.missing(tmp_path) == 12
    found = plan.run(tmp_path, 1)
    assert ran == [(each.title, number) for number in (0, 1) for each in CONTESTANTS]
    assert all(len(each.measured) == len(each.simulated) == 2 for each in found)
    assert plan.missing(tmp_path) == 0
    RecoveryPlan(runs=3).run(tmp_path, 1)
    told = capsys.readouterr().err
    assert "usrsctp" in told
    assert "another engine" not in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cc", "lia"], "--cc: not valid for failover: leave it out"),
        (["--udp"], "--udp: not valid for failover: leave it out"),
        (["--most", "3"], "--most: not valid for failover: leave it out"),
        (["--simulations", "3"], "--simulations: not valid for failover: leave it out"),
        (["--publish", "x.json"], "--publish: not valid for failover: leave it out"),
        (["--stack", "usrsct"], '--stack: failover has no "usrsct": did you mean "usrsctp"?'),
        (["--stack", "flow=usrsctp"], '--stack: failover has no "flow=usrsctp"'),
        (["--report", "notes.txt"], '--report: "notes.txt" is not a folder'),
        (["--store", "notes.txt"], '--store: "notes.txt" is not a folder'),
    ],
)
def test_a_wrong_option_gives_one_line(
    words: list[str], message: str, called: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("my notes\n")
    (line,) = called("measure", "failover", *words, code=2).err.splitlines()
    assert line.startswith(f"error: {message}")


STACKS = cases(("manypath", "kernel"), long=lambda stack: stack == "kernel")
"""Stacks whose recovery is measured; the gate has ours."""


def command(stack: str) -> tuple[str, ...]:
    """Return a command that measures the recovery of a stack."""
    return ("measure", "failover", "--stack", stack, "--runs", "1", "--tries", "1")


@pytest.fixture
def rows(
    stack: str, called: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undrawn: None
) -> list[Any]:
    """The rows of this command with a short failure, which it stores in the working directory."""
    for name, value in (("DOWN", 2.0), ("UP", 3.5), ("END", 7.0)):
        monkeypatch.setattr(recovery, name, value)
    made = Calibration("2026-01-01T00:00:00+00:00", "this machine", "abcd1234", 0.0, [])
    monkeypatch.setattr("manypath.testbed.calibration.calibrated", lambda *_, **__: made)
    monkeypatch.chdir(tmp_path)
    # The store keeps the runs that ended well
    return undisturbed(lambda: json.loads(called(*command(stack), "--json").out)["rows"], bool)


@needs_stack
@pytest.mark.parametrize("stack", STACKS)
def test_a_short_failure_is_measured_and_reported(stack: str, rows: list[Any], called: Callable[..., Any]):
    titles = [each.title for each in CONTESTANTS if each.stack == stack]
    assert [row["contestant"] for row in rows] == titles
    for row in rows:
        (run,) = row["measured"]
        # From the failure, and from the repair, to the end at most
        assert 0 <= run["resumed"] <= 5
        assert 0 < run["rejoined"] <= 3.5
        assert len(run["course"]) == 14
    printed = called(*command(stack)).out
    assert all(title in printed for title in titles)
    page = Path("report/measured-failover.html").read_text("utf-8")
    assert all(title in page for title in titles)
    assert page.count("<figure") == 2
    assert sorted(path.name for path in Path("report/figures/measured-failover").glob("*.svg")) == [
        "courses.svg",
        "times.svg",
    ]


@needs_stack
@pytest.mark.long
@pytest.mark.parametrize("stack", ["manypath", "kernel"])
def test_a_short_failure_stops_a_path_until_the_timeout_after_its_repair(rows: list[Any]):
    """The times are real ones, which other load changes."""
    for row in rows:
        (run,) = row["measured"]
        is_alone = row["contestant"] == "kernel, TCP"
        down = max(run["course"][5:6])
        assert down < (0.01 if is_alone else 10.1)
        assert max(run["course"][2:4]) > 0.1
    # The second timeout after the failure sends on the path again, 1.5 s after the repair
    assert min(row["measured"][0]["rejoined"] for row in rows) < 3
