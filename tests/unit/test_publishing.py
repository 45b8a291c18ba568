"""Measured runs are written into the file of a paper: their counters, other cases of the file, and refusals."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manypath import testbed
from manypath.campaign import Campaign
from manypath.cli.app import app
from manypath.papers.evidence import Case
from manypath.papers.measured import parse
from manypath.papers.stored import NotStored
from manypath.testbed import COMPARISONS
from manypath.testbed.calibration import Calibration
from manypath.testbed.publishing import publish

SECONDS = 85
"""The duration of the scenarios of [G12]."""

SENT = {"mptcp": {"a": 17_000, "b": 8_500}, "tcp-a": {"a": 34_000}, "tcp-b": {"b": 25_500}}
"""Sent packets. At 1500 bytes in 85 s they are 2.4 and 1.2, 4.8, and 3.6 Mbit/s."""


def calibration(late: float = 0.0) -> Calibration:
    """Return a calibration with the percentage of late packets on links of 10 Mbit/s; on other links all are late."""
    rows = [
        {"kind": "rate", "load": False, "set": rate, "expected": rate, "measured": rate, "late": share}
        for rate, share in ((1.0, 100.0), (10.0, late), (100.0, 100.0))
    ]
    return Calibration("2026-01-01T00:00:00+00:00", "Linux 6.1, 2 processors", "emu", 0.0, rows)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two made-up measured runs of scenario 1."""
    flows = {
        name: {"goodput": 1e6, "streams": [], "paths": {path: {"data_packets": sent} for path, sent in paths.items()}}
        for name, paths in SENT.items()
    }
    outcome = {"flows": flows, "marks": "", "late_share": 0.001}
    monkeypatch.setattr("manypath.testbed.runner._measure", lambda *_: outcome)
    monkeypatch.setattr("manypath.testbed.contestants.kernel.available", lambda: {"reno", "mp_lia_eunice"})
    monkeypatch.setattr(testbed.Testbed, "version", property(lambda _: "testbed"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    scenario = COMPARISONS["gonzalez2012-1"].scenario
    Campaign(scenario, {"cc": ["lia-eunice"]}, replications=2, seed=1, runner=testbed.Testbed()).run(
        tmp_path / "runs", progress=False
    )
    return tmp_path / "runs"


def published(store: Path, target: Path, *, runs: int = 2, late: float = 0.0) -> int:
    comparison, found = COMPARISONS["gonzalez2012-1"], calibration(late)
    return publish(comparison, ["lia-eunice"], runs=runs, seed=1, store=store, calibration=found, target=target)


def test_throughput_counts_whole_packets_at_the_sender(store: Path, tmp_path: Path):
    assert published(store, tmp_path / "measured.json") == 2
    (found,) = parse((tmp_path / "measured.json").read_text())
    assert (found.case, found.machine) == (Case.of("figure4", cc="lia-eunice"), "Linux 6.1, 2 processors")
    assert (found.stacks, found.doubts, found.marked) == ("testbed", (), 0)
    for outcome in found.outcomes:
        flows = outcome["flows"]
        assert [flows[name]["throughput"] for name in SENT] == [3_600_000, 4_800_000, 3_600_000]
        assert flows["mptcp"]["paths"] == {"a": {"throughput": 2_400_000}, "b": {"throughput": 1_200_000}}
        assert flows["mptcp"]["goodput"] == 1_000_000


def test_marks_of_the_calibration_are_stored_with_the_runs(store: Path, tmp_path: Path):
    published(store, tmp_path / "measured.json", late=3.0)
    (found,) = parse((tmp_path / "measured.json").read_text())
    assert found.doubts == ("calibration: 3.0 % of the packets left a link of 10 Mbit/s 2 ms late",)


def test_other_cases_of_the_file_are_kept(store: Path, tmp_path: Path):
    target = tmp_path / "measured.json"
    published(store, target)
    target.write_text(target.read_text().replace('"figure4"', '"figure6"'))
    published(store, target)
    assert [each.case.experiment for each in parse(target.read_text())] == ["figure4", "figure6"]


def test_missing_runs_are_an_error(store: Path, tmp_path: Path):
    with pytest.raises(NotStored):
        published(store, tmp_path / "measured.json", runs=3)
    assert not (tmp_path / "measured.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shared", "--publish", "m.json"], "--publish: shared is no scenario of a paper: leave it out"),
        (["sctp", "--publish", "m.json"], "--publish: sctp is no scenario of a paper: leave it out"),
        (["gonzalez2012-1", "--publish", "m.csv"], "end it with .json"),
        (["gonzalez2012-1", "--publish", "other.json"], '--publish: "other.json"'),
    ],
)
def test_unpublishable_settings_are_refused_before_measurements(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("other.json").write_text('{"mine": true}')
    monkeypatch.setattr("manypath.testbed.runner._measure", lambda *_: pytest.fail("it was measured"))
    done = CliRunner().invoke(app, ["measure", *words])
    assert done.exit_code != 0
    assert said in (done.output or str(done.exception)) + str(done.exception)
