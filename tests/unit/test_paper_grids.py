"""Experiments of papers measured with several stacks: plan, verdicts, page, published file, and wrong options."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from manypath import _native, testbed
from manypath.cli.app import app
from manypath.cli.measure_paper import plain
from manypath.papers.evidence import Case
from manypath.papers.measured import parse
from manypath.report import measured_paper as page
from manypath.settings import Settings
from manypath.testbed import PAPER_GRIDS, PaperPlan
from manypath.testbed.calibration import Calibration
from manypath.testbed.paper_grid import PaperGrid, PaperSize
from manypath.testbed.paper_plan import mixed
from manypath.testbed.publishing import publish

SHARES = {"manypath": 1.0, "usrsctp": 0.7}
"""Ratio of measured to simulated goodput of each stack in these tests."""

SMALL = PaperSize(
    {"figure3": {"cc": ("newreno",), "rate": (3.0,)}, "figure4": {"cc": ("newreno",), "south": (2.0, 4.0)}},
    warmup=5,
    measure=20,
    runs=3,
)


def small() -> PaperGrid:
    return replace(PAPER_GRIDS["dreibholz2012"], quick=SMALL)


def calibration(late: float = 0.0) -> Calibration:
    """Return a calibration with this percentage of late packets at 10 Mbit/s, and with 100 % at other rates."""
    rows = [
        {"kind": "rate", "load": False, "set": rate, "expected": rate, "measured": rate, "late": share}
        | {"median": 50.0, "p99": 300.0}
        for rate, share in ((1.0, 100.0), (10.0, late), (100.0, 100.0))
    ]
    return Calibration("2026-01-01T00:00:00+00:00", "Linux 6.1, 2 processors", "emu", 0.0, rows)


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace measurements by simulations whose goodput is scaled; return the stacks in the order of their runs."""
    order: list[str] = []

    def run(scenario: dict[str, Any], contestants: dict[str, Any], seed: int, *_: object) -> dict[str, Any]:
        (stack,) = {each.name for each in contestants.values()}
        order.append(stack)
        (text, *_rest) = _native.run(json.dumps(scenario), seed, 0)
        flows = json.loads(text)["flows"]
        scaled = {name: {**flow, "goodput": SHARES[stack] * flow["goodput"]} for name, flow in flows.items()}
        return {"flows": scaled, "marks": "disturbed" if len(order) == 1 else "", "late_share": 0.001}

    monkeypatch.setattr("manypath.testbed.runner._measure", run)
    monkeypatch.setattr(
        testbed.Testbed, "version", property(lambda each: "-".join(["testbed:1", *map("=".join, each.stacks.items())]))
    )
    monkeypatch.setattr(testbed.Testbed, "prepare", lambda *_: None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return order


def plan(**options: Any) -> PaperPlan:
    return PaperPlan(small(), quick=True, tries=1, **options)


def test_each_case_is_measured_by_every_stack_before_it_is_measured_again(tmp_path: Path, measured: list[str]):
    plan().run(tmp_path, 1)
    assert measured == 3 * (3 * ["manypath"] + 3 * ["usrsctp"])


def test_a_turn_of_a_stack_fills_the_measurements_at_once(tmp_path: Path, measured: list[str]):
    plan().run(tmp_path / "two", 6)
    assert sorted(measured[:6]) == 6 * ["manypath"]
    assert measured[6:12] == 6 * ["usrsctp"]
    assert measured[12:] == 3 * ["manypath"] + 3 * ["usrsctp"]


def test_a_stack_that_is_alone_has_one_turn(tmp_path: Path):
    turns: list[str] = []
    plan(stacks=["usrsctp"]).run(tmp_path, 1, turns.append)
    assert len(turns) == 1


def test_a_plan_may_have_some_congestion_controls_only():
    cases = [
        PaperPlan(PAPER_GRIDS["dreibholz2012"], quick=quick, controls=["cmt-rpv1"]).cases for quick in (True, False)
    ]
    assert [len(each) for each in cases] == [2 + 4, 10 + 10]
    assert {case["cc"] for each in cases for case in each} == {"cmt-rpv1"}


def test_stored_runs_are_not_measured_again(tmp_path: Path, measured: list[str]):
    plan(runs=2).run(tmp_path, 1)
    assert plan(runs=2).missing(tmp_path) == 0
    assert plan(runs=3).missing(tmp_path) == 6
    plan(runs=3).run(tmp_path, 1)
    assert len(measured) == 18


def test_results_of_the_other_stack_are_not_reported_as_unused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    plan(runs=1, stacks=["manypath"]).run(tmp_path, 1)
    plan(runs=1).run(tmp_path, 1)
    told = capsys.readouterr().err
    assert "usrsctp" in told
    assert "another engine" not in told


def test_measured_runs_are_compared_with_simulations_of_the_same_seed(tmp_path: Path):
    points = plan().run(tmp_path, 1)
    assert [(point.stack, str(point.case)) for point in points[::3]] == [
        ("manypath", "figure3 (cc newreno, rate 3.0)"),
        ("usrsctp", "figure3 (cc newreno, rate 3.0)"),
    ]
    for point in points:
        for verdict in point.goodput.values():
            # Equal seeds give equal ratios in every run
            assert verdict.ratio == pytest.approx(SHARES[point.stack])
            assert verdict.high - verdict.low < 1e-6
            assert verdict.word == ("equivalent" if point.stack == "manypath" else "different")
    # The case with the fastest links is the first that is measured.
    assert [len(point.marks) for point in points] == [0, 0, 1, 0, 0, 0]


@pytest.mark.usefixtures("undrawn")
def test_the_page_has_figures_rows_and_explained_differences(tmp_path: Path):
    made = plan()
    points = made.run(tmp_path / "store", 1)
    page.check(made.grid, "small", tmp_path)
    written = page.write("small", made, points, calibration(3.0), Settings(1, 3), tmp_path)
    text = written.read_text("utf-8")
    assert written.name == "measured-small.html"
    assert text.count("<svg") == 2
    assert "6 equivalent" in text
    assert "6 different" in text
    assert "1 disturbed: disturbed" in text
    assert "3.0 % of the packets left a link of 10 Mbit/s 2 ms late" in text
    found = list(page.differences(made, points))
    assert {each.point.stack for each in found} == {"usrsctp"}
    assert len(found) == 6
    assert "fast retransmissions" in found[0].measured
    assert "RTT 0." in found[0].simulated
    assert {path.name for path in (tmp_path / "figures" / "measured-small").iterdir()} >= {"figure3.svg", "figure4.svg"}


def test_published_runs_have_stack_simulations_and_doubts(tmp_path: Path):
    made, target = plan(stacks=["usrsctp"]), tmp_path / "measured.json"
    points = made.run(tmp_path, 1)
    assert publish(made, points, calibration=calibration(3.0), target=target) == 9
    found = parse(target.read_text("utf-8"))
    assert {each.stack for each in found} == {"usrsctp"}
    assert found[0].case == Case.of("figure3", cc="newreno", rate=3.0)
    assert found[0].stacks == "testbed:1-=usrsctp"
    assert found[0].doubts == ("calibration: 3.0 % of the packets left a link of 10 Mbit/s 2 ms late",)
    assert [each.marked for each in found] == [0, 0, 1]
    for each in found:
        assert len(each.outcomes) == len(each.simulated) == 3
        for run, simulated in zip(each.outcomes, each.simulated, strict=True):
            for name, flow in run["flows"].items():
                assert flow["goodput"] == pytest.approx(0.7 * simulated["flows"][name]["goodput"], abs=1)
                # All packets are counted with 1500 bytes, including retransmissions
                assert flow["throughput"] == sum(path["throughput"] for path in flow["paths"].values())


def test_publishing_keeps_other_cases_and_stacks_of_the_file(tmp_path: Path):
    target = tmp_path / "measured.json"
    for stacks in (["usrsctp"], ["manypath"]):
        made = plan(stacks=stacks, runs=2)
        publish(made, made.run(tmp_path, 1), calibration=calibration(), target=target)
    target.write_text(target.read_text().replace('"figure3"', '"figure9"'))
    made = plan(stacks=["manypath"], runs=3)
    publish(made, made.run(tmp_path, 1), calibration=calibration(), target=target)
    found = [(each.case.experiment, each.stack, len(each.outcomes)) for each in parse(target.read_text())]
    assert sorted(set(found)) == [
        ("figure3", "manypath", 3),
        ("figure4", "manypath", 3),
        ("figure4", "usrsctp", 2),
        ("figure9", "manypath", 2),
        ("figure9", "usrsctp", 2),
    ]


def test_json_has_a_row_for_each_case_and_stack_and_null_for_missing_numbers(tmp_path: Path):
    rows = plain(plan(runs=1).run(tmp_path, 1))
    assert json.dumps(rows, allow_nan=False)
    assert [row["stack"] for row in rows] == 3 * ["manypath"] + 3 * ["usrsctp"]
    assert rows[0]["factors"] == {"cc": "newreno", "rate": 3.0}
    assert rows[0]["goodput"]["cmt"]["low"] is None, "one run has no interval"
    assert rows[0]["goodput"]["cmt"]["word"] == "open"


@pytest.mark.parametrize("name", PAPER_GRIDS)
@pytest.mark.parametrize("quick", [False, True])
def test_every_case_of_a_paper_has_a_scenario_with_its_flows(name: str, quick: bool):
    grid = PAPER_GRIDS[name]
    size = grid.quick if quick else grid.full
    cases = list(size.cases())
    assert len(cases) == len(set(cases))
    for case in cases:
        scenario = grid.scenario(case, size)
        assert set(grid.flows) <= set(scenario.flows)
        assert (scenario.warmup, scenario.measure) == (size.warmup * 1e9, size.measure * 1e9)
        assert max(link.rate for link in scenario.network.links.values()) <= grid.fastest * 1e6


def test_the_kernel_gets_the_congestion_control_of_mptcp_flows_only():
    assert PaperPlan(PAPER_GRIDS["gonzalez2012"], quick=True).kernel_controls == ("lia-eunice",)
    assert PaperPlan(PAPER_GRIDS["dreibholz2012"], quick=True).kernel_controls == ()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shared", "--publish", "m.json"], "--publish: shared is not an experiment of a paper: leave it out"),
        (["sctp", "--publish", "m.json"], "--publish: sctp is not an experiment of a paper: leave it out"),
        (["sctp", "--events", "live"], "--events: not valid for sctp: leave it out"),
        (["shared", "--events", "live", "--at-once", "2"], "--events: shows one run at a time, but --at-once is 2"),
        (["dreibholz2012", "--publish", "m.csv"], "end it with .json"),
        (["dreibholz2012", "--publish", "other.json"], '--publish: "other.json"'),
        (["dreibholz2012", "--cc", "cmt-rpv3"], '--cc: dreibholz2012 has no "cmt-rpv3": '),
        (["dreibholz2010", "--cc", "lia"], "--cc: congestion controls are not a factor of dreibholz2010: leave it out"),
        (["dreibholz2012", "--udp"], "--udp: not valid for dreibholz2012: leave it out"),
        (["dreibholz2012", "--most", "9"], "--most: not valid for dreibholz2012: leave it out"),
        (["dreibholz2012", "--stack", "kernel"], '--stack: dreibholz2012 has no "kernel": known: manypath, usrsctp'),
        (["dreibholz2013"], 'there is no "dreibholz2013": did you mean "dreibholz2012"?'),
    ],
)
def test_wrong_options_are_refused_before_measurements(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: list[str]
):
    monkeypatch.chdir(tmp_path)
    Path("other.json").write_text('{"mine": true}')
    done = CliRunner().invoke(app, ["measure", *words])
    assert done.exit_code != 0
    assert message in (done.output or str(done.exception)) + str(done.exception)
    assert measured == []


def test_measurements_at_once_have_fast_and_slow_links():
    """Ten cases with the fastest links at once would need more than the processors of a small machine."""
    cases = [Case.of("figure4", cc=cc, south=south) for cc in ("newreno", "cmt-rpv2") for south in (2.0, 6.0, 10.0)]
    order = mixed({case: float(str(dict(case.factors)["south"])) for case in cases})
    assert [dict(case.factors)["south"] for case in order] == [10.0, 2.0, 10.0, 2.0, 6.0, 6.0]
    assert set(order) == set(cases)


def test_an_odd_number_of_cases_is_measured_completely():
    cases = [Case.of("figure3", rate=rate) for rate in (1.0, 2.0, 3.0)]
    assert mixed(dict(zip(cases, (1.0, 2.0, 3.0), strict=True))) == (cases[2], cases[0], cases[1])
    assert mixed({}) == ()
