"""Open cells of a measured grid get more runs until they are decided. Decided cells keep their verdict."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manypath import _native
from manypath.campaign.cell import Cell
from manypath.errors import UserError
from manypath.report import measured as page
from manypath.stats.looks import plan as looks_of
from manypath.testbed import GRIDS, Plan
from manypath.testbed import plan as planning
from manypath.testbed.calibration import Calibration
from manypath.testbed.plan import Further
from manypath.testbed.verdict import judge

WORLDS = 1000
"""Made-up grids of one cell."""

ONE, TWO, MANY = "one path", "two paths newreno", "two paths cmt-rpv2"

CALIBRATION = Calibration("2026-11-23T07:00:00+00:00", "Linux", "0a1b", 0.1, [])
"""Made-up calibration."""


class MadeUp:
    """A runner that draws goodputs around the mean of each way, and records its runs."""

    def __init__(self, version: str, means: Mapping[str, tuple[float, float]]) -> None:
        self.version = version
        self.means = means
        self.ran: list[tuple[str, int]] = []
        self.fails_after = 10**9

    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        pass

    def run(self, cells: Sequence[Cell], _threads: int, _halt: Any) -> list[Any]:
        return [self._run(cell) for cell in cells]

    def _run(self, cell: Cell) -> Any:
        if len(self.ran) >= self.fails_after:
            return _native.RunError("the machine fell over")
        mean, spread = self.means[cell.factors["way"]]
        name = "".join(map(str, cell.factors.values()))
        self.ran.append((name, cell.replication))
        noise = np.random.default_rng([zlib.crc32(name.encode()), cell.replication]).standard_normal()
        goodput = 1e6 * (mean + spread * noise)
        path = {"goodput": goodput, "timeouts": 0, "fast_retransmissions": 0, "cwnd": 1, "srtt": 0.1}
        flow = {"goodput": goodput, "streams": [], "paths": {"path1": path}}
        return json.dumps({"flows": {"sctp": flow}, "marks": "", "tries": 1, "late_share": 0.0})


SMALL = replace(
    GRIDS["sctp"],
    quick=replace(GRIDS["sctp"].quick, factors={"way": [ONE, TWO, MANY], "rtt": ["20 ms"], "loss": ["0 %", "1 %"]}),
)
"""Six cells."""

WORLD = {ONE: (10.0, 0.05), TWO: (10.5, 3.0), MANY: (7.0, 0.05)}
"""Mean and standard deviation: the first way is equivalent, the last one differs, the second one is open."""


@pytest.fixture
def testbed(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """A runner with made-up measurements, beside simulations with 10 Mbit/s in every cell."""
    measured = MadeUp("measured:1", WORLD)
    simulated = MadeUp("simulated:1", dict.fromkeys(WORLD, (10.0, 0.01)))
    monkeypatch.setattr(planning, "Testbed", lambda _, _stacks: measured)
    monkeypatch.setattr(planning, "PAIRED", simulated)
    return measured


def small(**more: Any) -> Plan:
    return Plan(SMALL, quick=True, **{"runs": 4, "most": 16, **more})


def test_only_open_cells_get_more_runs(testbed: MadeUp):
    cells = small().run(None, 1)
    runs = {cell.factors["way"]: cell.goodput.runs for cell in cells}
    assert [cell.goodput.word for cell in cells if cell.factors["way"] == ONE] == ["equivalent"] * 2
    assert [cell.goodput.word for cell in cells if cell.factors["way"] == MANY] == ["different"] * 2
    assert runs == {ONE: 4, TWO: 16, MANY: 4}
    assert Counter(Counter(name for name, _ in testbed.ran).values()) == {4: 4, 16: 2}
    assert [tuple(cell.factors.values()) for cell in cells] == [
        (way, "20 ms", loss) for way in (ONE, TWO, MANY) for loss in ("0 %", "1 %")
    ]


def test_further_runs_alternate_between_open_cells(testbed: MadeUp):
    small().run(None, 1)
    repetitions = [repetition for _, repetition in testbed.ran]
    assert repetitions == sorted(repetitions)
    later = [name for name, repetition in testbed.ran if repetition >= 4]
    assert all(first != second for first, second in zip(later[::2], later[1::2], strict=True))


def test_a_cell_has_the_interval_of_its_deciding_look(testbed: MadeUp):
    for cell in small().run(None, 1):
        verdict = cell.goodput
        level = {4: 0.03, 8: 0.01, 16: 0.01}[verdict.runs]
        again = judge(verdict.measurements, verdict.simulations, level, paired=True)
        assert (verdict.low, verdict.high, verdict.word) == (again.low, again.high, again.word)
        assert verdict.confidence == pytest.approx(1 - 2 * level)


def test_a_fixed_number_of_runs_has_one_look(testbed: MadeUp):
    cells = small(most=None).run(None, 1)
    assert {cell.goodput.runs for cell in cells} == {4}
    assert {cell.goodput.level for cell in cells} == {0.05}
    assert small(most=None).runs == 4
    assert small().runs == "4 to 16 replications"


def test_a_maximum_below_the_first_runs_is_refused():
    with pytest.raises(UserError, match="most: 3 is less than 4, the first number of runs: give 4 or more"):
        small(most=3)
    with pytest.raises(UserError, match="give 4 or more"):
        small(runs=None, most=3)


def test_measurements_before_a_failure_are_kept(testbed: MadeUp, tmp_path: Path):
    whole = small().run(None, 1)
    testbed.ran.clear()
    testbed.fails_after = 30
    with pytest.raises(_native.RunError):
        small().run(tmp_path, 1)
    testbed.fails_after = 10**9
    report: list[Further] = []
    assert [cell.goodput for cell in small().run(tmp_path, 1, report.append)] == [cell.goodput for cell in whole]
    assert max(Counter(testbed.ran).values()) == 1
    assert report == [Further(2, 4, 8, 2, 18), Further(2, 8, 16, 16, 16)]
    count = len(testbed.ran)
    small().run(tmp_path, 1)
    assert len(testbed.ran) == count


def test_a_verdict_does_not_depend_on_stored_runs_of_later_looks(testbed: MadeUp, tmp_path: Path):
    alone = small(most=None).run(None, 1)
    small().run(tmp_path, 1)
    assert [cell.goodput for cell in small(most=None).run(tmp_path, 1)] == [cell.goodput for cell in alone]


def decided(measured: np.ndarray, simulated: np.ndarray, levels: Mapping[int, float]) -> str:
    """Return the first verdict that is not open."""
    words = (judge(measured[:runs], simulated[:runs], level, paired=True).word for runs, level in levels.items())
    return next((word for word in words if word != "open"), "open")


@pytest.mark.parametrize(
    ("ratio", "wrong"),
    [
        (1.1, "equivalent"),
        pytest.param(0.9, "equivalent", marks=pytest.mark.long),
        (1.1, "different"),
    ],
)
def test_several_looks_together_are_wrong_in_at_most_5_percent(ratio: float, wrong: str):
    """A ratio at the end of the margin is neither equivalent nor different. Each wrong verdict has at most 5 %."""
    draw = np.random.default_rng(20261123)
    shared = {look.runs: look.level for look in looks_of(5, 40)}
    each = dict.fromkeys(shared, 0.05)
    mistakes = Counter[str]()
    for _ in range(WORLDS):
        simulated = draw.normal(10, 0.01, 40)
        measured = draw.normal(10 * ratio, 1.0, 40)
        for name, levels in (("shared", shared), ("each", each)):
            mistakes[name] += decided(measured, simulated, levels) == wrong
    # Three standard errors above 5 %. Looks with 5 % each would be wrong more often.
    assert mistakes["shared"] / WORLDS <= 0.05 + 3 * (0.05 * 0.95 / WORLDS) ** 0.5
    assert mistakes["each"] / WORLDS > 0.075


@pytest.mark.parametrize("runs", [3, 6, 12, 24])
def test_the_error_of_the_mean_of_few_simulations_counts(runs: int):
    """Measured and simulated runs have the same spread, and the measured mean is 10 % higher."""
    draw = np.random.default_rng(20261124)
    mistakes = 0
    for _ in range(WORLDS):
        simulated = draw.normal(10, 1.5, runs)
        measured = simulated + 1 + draw.normal(0, 0.02, runs)
        mistakes += judge(measured, simulated, paired=True).word == "equivalent"
    assert mistakes / WORLDS <= 0.05 + 3 * (0.05 * 0.95 / WORLDS) ** 0.5


@pytest.mark.usefixtures("undrawn")
def test_the_page_shows_the_number_of_runs_per_cell(testbed: MadeUp, tmp_path: Path):
    from manypath.settings import Settings

    plan = small()
    file = page.write("sctp", plan, plan.run(None, 1), CALIBRATION, Settings(1, plan.runs, "engine"), tmp_path)
    text = " ".join(file.read_text("utf-8").split())
    assert "after 4, 8, 16 runs." in text
    assert [text.count(f"({confidence} %)</span>") for confidence in (94, 98)] == [4, 2]
    assert text.count('<td data-label="runs">16</td>') == 2
    assert text.count('<td data-label="runs">4</td>') == 4


@pytest.fixture
def command(undrawn: None, testbed: MadeUp, called, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Return a function that runs `manypath measure sctp` with the grid and the measurements of these tests."""
    monkeypatch.setitem(GRIDS, "sctp", SMALL)
    monkeypatch.setattr("manypath.testbed.calibration.calibrated", lambda *_, **__: CALIBRATION)
    folders = ["--store", str(tmp_path / "runs"), "--report", str(tmp_path / "report")]
    return lambda *options: called("measure", "sctp", "--quick", *folders, *options, code=0)


def test_the_command_prints_the_expected_duration_of_further_runs(command):
    printed = command("--runs", "4", "--most", "16").err
    assert "24 measurements are missing, 28 s each, 4 at once: about 3 min 12 s" in printed
    assert "open cells then get more runs, up to 16 each" in printed
    assert (
        "2 cells are open after 4 runs: next look after 8 runs of each, 8 measurements, about 1 min 4 s; "
        "last look after 16 runs of each, 24 measurements, about 3 min 12 s" in printed
    )
    last = "2 cells are open after 8 runs: next look after 16 runs of each, 16 measurements, about 2 min 8 s\n"
    assert last in printed
    assert "measurements" not in command("--runs", "4", "--most", "16").err


def test_table_and_json_have_the_runs_of_each_cell(command):
    table = command("--runs", "4", "--most", "16").out
    rows = [line for line in table.splitlines() if line.lstrip().startswith(("one path", "two paths"))]
    assert [line.split("%")[-1].split()[1] for line in rows] == ["4", "4", "16", "16", "4", "4"]
    assert "4 to 16 replications" in table
    document = json.loads(command("--runs", "4", "--most", "16", "--json").out)
    assert document["replications"] == "4 to 16 replications"
    assert [row["goodput"]["runs"] for row in document["rows"]] == [4, 4, 16, 16, 4, 4]
    assert document["rows"][0]["goodput"]["confidence"] == pytest.approx(0.94)
