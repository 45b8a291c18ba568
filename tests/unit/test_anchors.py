"""Analytic anchors: verdicts, agreement of the quick anchors, and output of the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from manypath import _native, anchors
from manypath.anchors import ANCHORS, AnchorResult, judge
from manypath.anchors.anchor import Anchor, GivenLosses, Measure
from manypath.cli.app import app
from manypath.stats import interval

QUICK = [
    anchor
    for anchor in ANCHORS
    if anchor.id.startswith("single/periodic") or anchor.id in ("single/bernoulli/0.01", "losses/olia/1%+1%/sum")
]
"""Anchors that take one second in total."""


def made_up(expected: float, within: float) -> Anchor:
    run = GivenLosses("newreno", (0.01,), (0.1,), 1000)
    return Anchor("made/up", "a number", "nowhere", expected, within, Measure((run,), 2, lambda rates: rates[0][0]))


@pytest.mark.parametrize(("measured", "verdict"), [([99.0, 103.0], "holds"), ([97.0, 98.8], "missed")])
def test_a_verdict_depends_on_the_mean_and_not_on_its_interval(measured: list[float], verdict: str) -> None:
    assert AnchorResult(made_up(100.0, 0.02), interval(measured)).verdict == verdict


def test_every_anchor_has_a_unique_name_and_a_source() -> None:
    assert len({anchor.id for anchor in ANCHORS}) == len(ANCHORS)
    assert all(anchor.says and anchor.source and anchor.expected > 0 and anchor.within > 0 for anchor in ANCHORS)


def test_the_engine_agrees_with_the_quick_anchors() -> None:
    assert len(QUICK) == 5
    assert [row.verdict for row in judge(QUICK, store=None, progress=False)] == ["holds"] * len(QUICK)


def test_another_congestion_control_misses_the_anchor() -> None:
    (anchor,) = (anchor for anchor in QUICK if anchor.id == "losses/olia/1%+1%/sum")
    (run,) = anchor.measure.runs
    assert isinstance(run, GivenLosses)
    wrong = replace(anchor, measure=replace(anchor.measure, runs=(replace(run, cc="lia"),)))
    (row,) = judge([wrong], store=None, progress=False)
    assert row.verdict == "missed"


def test_twice_the_round_trip_time_halves_the_rate() -> None:
    rates = [
        judge([replace(made_up(1.0, 1.0), measure=Measure((run,), 1, lambda rates: rates[0][0]))], None, 1, False)
        for run in (GivenLosses("newreno", (0.01,), (rtt,), 100_000) for rtt in (0.1, 0.2))
    ]
    (fast,), (slow,) = rates
    assert math.isclose(fast.measured.mean, 2 * slow.measured.mean, rel_tol=1e-3)


def rows_of(tmp_path) -> list[dict[str, str]]:
    """Return the rows of the command for flows on one path, after a look at its page."""
    arguments = ["anchors", "single", "--json", "--store", str(tmp_path / "runs"), "--report", str(tmp_path / "report")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    rows = json.loads(done.stdout)["anchors"]
    assert {"id", "expected", "measured", "bound", "verdict"} <= set(rows[0])
    assert {row["verdict"] for row in rows} == {"holds"}
    page = (tmp_path / "report" / "anchors.html").read_text(encoding="utf-8")
    assert all(row["id"] in page for row in rows)
    return rows


@pytest.fixture
def cheapest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the anchors of flows on one path to the cheapest of each kind."""
    kinds = {anchor.id.rpartition("/")[0]: anchor for anchor in ANCHORS if anchor.id.startswith("single/")}
    monkeypatch.setattr(anchors, "ANCHORS", tuple(kinds.values()))


@pytest.mark.usefixtures("cheapest")
def test_the_command_prints_rows_as_json_and_writes_the_page(tmp_path) -> None:
    assert len(rows_of(tmp_path)) == 2


@pytest.mark.long
def test_every_anchor_of_one_path_holds(tmp_path) -> None:
    assert len(rows_of(tmp_path)) == 6


@pytest.mark.usefixtures("cheapest")
def test_a_table_of_anchors_names_its_seed_and_engine(tmp_path) -> None:
    printed = CliRunner().invoke(app, ["anchors", "single", "--store", str(tmp_path / "runs")]).stdout.splitlines()
    assert printed[-2] == f"seed 1, 1 to 8 replications, engine {_native.engine_version()}; family single"
