"""The rows of a sweep: each mean has its own number of runs, and all frames are written."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manypath.cli.frame_files import KINDS
from manypath.measurements import MEASUREMENTS

SWEEP = """
replications = 4
metrics = ["goodput", "latency_mean"]
[factors]
cc = { field = "flows.f.cc", values = ["newreno", "cubic"] }
[scenario]
warmup = "WARMUP"
measure = "500 ms"
[scenario.network.disjoint]
a = { rate = "5 Mbit/s", delay = "1 ms", loss = 0.05 }
[scenario.flows]
f = { paths = ["a"], transport = "tcp", start = "0 s", app = { kind = "transfer", size = "300 kB" } }
"""
"""Transfers that end before the window in some of the runs, which then have no latency."""


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that writes a file and runs the command: `sweep(SWEEP, "--json").out`."""
    monkeypatch.chdir(tmp_path)

    def run(text: str, *arguments: str, code: int = 0) -> Any:
        (tmp_path / "sweep.toml").write_text(text)
        return called("sweep", "sweep.toml", *arguments, code=code)

    return run


def latencies(file: Path) -> dict[str, list[float]]:
    """Return the latencies of each control in a file of flows, by replication; NaN without one."""
    found: dict[str, list[float]] = {}
    for row in csv.DictReader(file.open()):
        found.setdefault(row["cc"], []).append(float(row["latency_mean"] or math.nan))
    return found


def heading(table: str) -> list[str]:
    """Return the words of the heading of a printed table."""
    return next(line for line in table.splitlines() if "goodput" in line).split()


@pytest.fixture
def some(sweep: Callable[..., Any], tmp_path: Path) -> str:
    """A sweep in which some runs have a latency, and others have none."""
    for tenths in range(5, 30):
        text = SWEEP.replace("WARMUP", f"{tenths / 10} s")
        sweep(text, "--frames", "numbers")
        found = latencies(tmp_path / "numbers" / "flows.csv")
        pairs = sum(not math.isnan(one - two) for one, two in zip(*found.values(), strict=True))
        if 1 <= pairs < 4 and all(sum(map(math.isnan, each)) >= 1 for each in found.values()):
            return text
    pytest.fail("no warm-up is long enough for some of the runs only")


def test_each_mean_has_its_own_number_of_runs(sweep: Callable[..., Any], some: str, tmp_path: Path):
    found = latencies(tmp_path / "numbers" / "flows.csv")
    rows = json.loads(sweep(some, "--json").out)["rows"]
    parts = [f"{metric}{part}" for metric in ("goodput", "latency_mean") for part in ("", "_half_width", "_n")]
    for row in rows:
        assert list(row) == ["cc", "flow", *parts]
        numbers = [value for value in found[row["cc"]] if not math.isnan(value)]
        assert row["goodput_n"] == 4
        assert row["latency_mean_n"] == len(numbers) < 4
        assert row["latency_mean"] == pytest.approx(sum(numbers) / len(numbers))
    table = list(csv.DictReader(io.StringIO(sweep(some, "--csv").out)))
    assert [int(row["latency_mean_n"]) for row in table] == [row["latency_mean_n"] for row in rows]
    assert heading(sweep(some).out)[-2:] == ["goodput_n", "latency_mean_n"]
    alone = json.loads(sweep(some, "--json", "--metric", "latency_mean").out)["rows"]
    assert [row["n"] for row in alone] == [row["latency_mean_n"] for row in rows]


@pytest.mark.parametrize("options", [[], ["--baseline", "cc=newreno"]])
def test_a_mean_without_a_number_is_an_empty_cell(options: list[str], sweep: Callable[..., Any]):
    """All transfers end before the window."""
    text = SWEEP.replace("WARMUP", "60 s")
    row, *_ = json.loads(sweep(text, "--json", *options).out)["rows"]
    assert (row["latency_mean"], row["latency_mean_n"]) == (None, 0)
    printed = sweep(text, *options).out
    assert "nan" not in printed
    (cells,) = [line.split() for line in printed.splitlines() if "cubic" in line.split()]
    assert cells[2:] == ["0", "±", "0", "4", "0"]


def test_equal_numbers_of_runs_are_one_column_of_the_table(sweep: Callable[..., Any]):
    head = heading(sweep(SWEEP.replace("WARMUP", "0 s")).out)
    assert head[-1] == "n"
    assert "goodput_n" not in head


def test_differences_are_those_of_pairs_in_which_both_runs_have_a_number(
    sweep: Callable[..., Any], some: str, tmp_path: Path
):
    found = latencies(tmp_path / "numbers" / "flows.csv")
    pairs = [two - one for one, two in zip(found["newreno"], found["cubic"], strict=True)]
    numbers = [each for each in pairs if not math.isnan(each)]
    (row,) = json.loads(sweep(some, "--json", "--baseline", "cc=newreno").out)["rows"]
    assert row["latency_mean_n"] == len(numbers) < row["goodput_n"] == 4
    assert row["latency_mean"] == pytest.approx(sum(numbers) / len(numbers))


@pytest.mark.usefixtures("undrawn")
def test_a_factor_in_by_changes_nothing(sweep: Callable[..., Any]):
    text = SWEEP.replace("WARMUP", "0 s")
    for options in ([], ["--baseline", "cc=newreno"]):
        plain = sweep(f'by = ["flow"]\n{text}', "--csv", "--plot", "plain.svg", *options)
        named = sweep(f'by = ["cc", "flow", "flow"]\n{text}', "--csv", "--plot", "named.svg", *options)
        assert named.out == plain.out


@pytest.mark.parametrize(("name", "column"), [("goodput_n", "goodput_n"), ("goodput_half_width", "goodput_half_width")])
def test_a_factor_cannot_have_the_name_of_a_printed_column(name: str, column: str, sweep: Callable[..., Any]):
    text = SWEEP.replace("WARMUP", "0 s").replace("cc = {", f"{name} = {{")
    (line,) = sweep(text, code=2).err.splitlines()
    assert line.startswith(f'error: metric: "goodput" needs a column "{column}", which the rows have already: give')


def test_values_with_equal_texts_cannot_be_selected(sweep: Callable[..., Any], tmp_path: Path):
    (tmp_path / "waiting.py").write_text("def wait(x, seed):\n    return {'wait': 1.0}\n")
    text = 'runner = { python = "waiting:wait" }\nmetrics = ["wait"]\nfactors = { x = [1, "1"] }'
    (line,) = sweep(text, "--where", "x=1", code=2).err.splitlines()
    assert line == "error: --where: several values of x have the same text: give them different texts"


ORDERED = SWEEP.replace("WARMUP", "0 s").replace("[factors]", 'by = ["flow"]\n[factors]')
ORDERED = ORDERED.replace('transport = "tcp", ', "streams = 2, ").replace(
    'kind = "transfer", size = "300 kB"', 'kind = "saturated", ordered = true'
)


def test_a_sweep_and_an_export_write_the_same_frames(sweep: Callable[..., Any], called: Callable[..., Any]):
    assert tuple(MEASUREMENTS) == KINDS
    sweep(ORDERED, "--frames", "numbers")
    called("store", "export", "sweep", "exported")
    written = {path.name: path.read_text() for path in Path("exported").iterdir()}
    assert written.keys() == {f"{kind}.csv" for kind in KINDS}
    for name, text in written.items():
        assert (Path("numbers") / name).read_text() == text


def test_no_frame_of_an_earlier_sweep_remains(sweep: Callable[..., Any]):
    sweep(ORDERED, "--frames", "numbers")
    assert Path("numbers/streams.csv").is_file()
    printed = sweep(SWEEP.replace("WARMUP", "0 s"), "--frames", "numbers").err
    assert not Path("numbers/streams.csv").exists()
    assert "numbers/streams.csv of an earlier sweep is removed, because this one has no streams" in printed
    Path("numbers/streams.csv").write_text("mine\n")
    sweep(SWEEP.replace("WARMUP", "0 s"), "--frames", "numbers", code=2)
    assert Path("numbers/streams.csv").read_text() == "mine\n"
