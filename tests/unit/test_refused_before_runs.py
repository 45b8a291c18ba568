"""Inputs that no run can answer are refused before the first run, and messages name what the user wrote."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import manypath as mp
from manypath.arguments import in_order, truth, truth_or_default, whole
from manypath.campaign import Cell
from manypath.campaign.progress import check_progress
from manypath.errors import UserError
from manypath.papers import chosen, evaluate, load
from manypath.papers.sampled import Sampled, check_curves
from rights import read_only

PAPER = "gonzalez2012_mptcp"

SCENARIO = """
warmup = "1 s"
measure = "1 s"
network.disjoint.a = { rate = "5 Mbit/s", delay = "1 ms" }
flows.f = { paths = ["a"] }
"""


def run_with(cc: str) -> mp.Scenario:
    link = mp.Link(rate="5 Mbit/s")
    flow = mp.Sctp(paths=["a"], cc=cc, start="0 s")
    return mp.Scenario(network=mp.disjoint(a=link), flows={"f": flow}, warmup="10 ms", measure="10 ms")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(SCENARIO)
    Path("sweep.toml").write_text(
        'replications = 1\nscenario = "s.toml"\n[factors]\n"flows.f.cc" = ["newreno", "cmt-rpv2"]\n'
    )
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sweep", "sweep.toml", "--check-phase"], "replications: 1 is too few for --check-phase"),
        (
            ["expect", "--path", "9 Mbit/s, 9 ms", "--path", "8 Mbit/s, 9 ms", "--check-phase", "--runs", "1"],
            "--runs: 1 is too few for --check-phase",
        ),
        (["papers", PAPER, "--check-warmup", "--runs", "1"], "--runs: 1 is too few for --check-warmup"),
        (["papers", PAPER, "--figure", "3", "--set", "warmup=10000 h"], "warmup: 36000000 s is too long for window"),
        (["papers", PAPER, "--figure", "3", "--set", "measure=9000 h"], "measure: 32400000 s is too long for window"),
        (["run", "s.toml", "--link", "a"], "--link: only valid with --pcapng: give --pcapng OUT, too"),
        (["run", "s.toml", "--only", "recovery"], "--only: only valid with --events: give --events OUT, too"),
        (["run", "s.toml", "--pcapng", "p.pcapng", "--link", "zz"], '--link: "zz" is no link'),
        (["run", "s.toml", "--events", "e.jsonl", "--only", "zz"], '--only: "zz" is no event'),
        (["run", "s.toml", "--series", "1 ns"], "--series: 1 ns cannot be used"),
    ],
)
def test_a_command_ends_with_one_line_and_has_stored_nothing(arguments: list[str], said: str, here: Path, called):
    (line,) = called(*arguments, code=2).err.splitlines()
    assert line.startswith(f"error: {said}")
    assert not Path("runs").exists()


def test_one_combination_and_one_run_are_singular(here: Path, called):
    Path("many.toml").write_text('replications = 200000\nscenario = "s.toml"\n[factors]\n"flows.f.cc" = ["newreno"]\n')
    assert "1 combination is 200,000 runs, more than" in called("sweep", "many.toml", code=2).err
    Path("one.toml").write_text('replications = 1\nscenario = "s.toml"\n')
    said = called("sweep", "one.toml").err
    assert "1 scenario, 1 run:" in said
    assert "one: 1 run, 0 of them" in said


@pytest.mark.parametrize("value", ["no", 1, 0, None, "True"])
def test_a_boolean_is_no_other_value(value: object):
    with pytest.raises(UserError, match=r"^full: .* is neither true nor false: give True or False"):
        truth("full", value)
    with pytest.raises(UserError, match=r"^full: "):
        chosen(PAPER, full=value)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UserError, match=r"^periodic: "):
        mp.ideal("lia", [0.1], "9 ms", periodic=value)  # pyright: ignore[reportArgumentType]
    if value is not None:
        with pytest.raises(UserError, match=r"^causes: "):
            truth_or_default("causes", value)


@pytest.mark.parametrize("name", ["full", "compute", "causes", "profiles", "mutations", "progress", "grow", "store"])
def test_every_argument_of_an_evaluation_is_checked_by_its_name(name: str):
    with pytest.raises(UserError, match=f"^{name}: 5 "):
        evaluate(PAPER, 3, **{name: 5})  # pyright: ignore[reportArgumentType]


def test_a_display_needs_every_method_of_one():
    class Talker:
        def say(self, text: str) -> None:
            """Do nothing."""

    with pytest.raises(UserError, match=r"^progress: .* is no display: give True, False or a Progress$"):
        check_progress(Talker())
    check_progress(True)


def test_a_set_is_no_list_in_models_and_in_functions():
    several = {"a", "b"}
    for make in (
        lambda: mp.Sctp(paths=several),
        lambda: mp.Mptcp(paths=frozenset(several)),
        lambda: mp.Path(forward=several),  # pyright: ignore[reportArgumentType]
        lambda: mp.Campaign(run_with, {"cc": several}),  # pyright: ignore[reportArgumentType]
        lambda: mp.ideal("lia", {0.1, 0.2}, "9 ms"),  # pyright: ignore[reportArgumentType]
        lambda: mp.ideal("lia", [0.1, 0.2], {"9 ms", "8 ms"}),  # pyright: ignore[reportArgumentType]
        lambda: chosen(several),
    ):
        with pytest.raises(UserError, match=r"^[\w.]+: .* has no order: give a list$"):
            make()
    assert mp.Sctp(paths=dict.fromkeys("ba").keys()).paths == ("b", "a")
    assert in_order("paths", ["b", "a"]) == ["b", "a"]


def test_a_number_above_the_limit_is_too_large():
    with pytest.raises(UserError, match=r"^runs: 10* is too large: give 1 to 18446744073709551615$"):
        whole("runs", 10**30, "number of runs", least=1)


def test_a_selection_without_runs_is_named_as_such():
    none = mp.Results([])
    uses = (
        mp.check_phase,
        mp.check_warmup,
        mp.series,
        lambda empty: empty.mean("goodput"),
        lambda empty: empty.select(cc="newreno"),
        lambda empty: mp.figures.lines(empty, x="cc"),
    )
    for use in uses:
        with pytest.raises(UserError, match=r"^\w+: no run is selected: give results with runs$"):
            use(none)


def test_missing_runs_are_named_with_their_store_and_paper(tmp_path: Path):
    with pytest.raises(UserError) as refused:
        evaluate(PAPER, 3, runs=3, compute=False, store=tmp_path, progress=False)
    assert str(refused.value).startswith(f'store: "{tmp_path}" lacks 9 runs of {PAPER}: give compute=True')


def test_curves_are_checked_without_a_run_and_before_those_of_a_campaign():
    paper = load(PAPER)
    case = next(iter(paper.experiments.cases(paper.quick, {"figure3"})))
    scenario = paper.experiments.scenario(case, paper.quick)
    check_curves(scenario.document(), "50 ms")
    long = scenario.but(measure="9000 h").document()
    cell = Cell({}, long, 1, 0)
    for check in (
        lambda: check_curves(long, "50 ms"),
        lambda: Sampled({long: "50 ms"}, 1, None).prepare([cell], 1),
        lambda: Sampled({long: "50 ms"}, 1, None).sample(cell),
    ):
        with pytest.raises(UserError, match=r"^measure: 32400000 s is too long for window curves"):
            check()


def test_warnings_of_libraries_are_not_printed_by_the_command():
    told = "import sys, warnings; import manypath.cli; manypath.cli.main = lambda: warnings.warn('singular')"
    for options, is_silent in (([], True), (["-W", "default"], False)):
        program = f"{told}; from manypath.__main__ import main; main()"
        done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=True)
        assert ("singular" not in done.stderr) == is_silent


def test_windows_of_nothing_are_drawn_without_a_warning():
    nothing = SimpleNamespace(time=np.zeros(3), cwnd=np.zeros(3), ssthresh=np.zeros(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mp.figures.windows({"nothing": {"a": nothing}}, paths=["a"])  # pyright: ignore[reportArgumentType]


RUNS: dict[str, list[str]] = {
    "a sweep": ["sweep", "sweep.toml"],
    "a comparison of transports": ["expect", "--path", "9 Mbit/s, 9 ms", "--path", "8 Mbit/s, 9 ms", "--runs", "2"],
    "a paper": ["papers", PAPER, "--figure", "3", "--runs", "3"],
    "a reconstruction": ["reconstruct", "dreibholz2011_impact"],
}
"""Commands that store runs."""


@pytest.mark.parametrize("case", RUNS)
def test_a_store_that_cannot_be_written_is_found_before_the_first_run(
    case: str, here: Path, called, monkeypatch: pytest.MonkeyPatch
):
    """Also if the campaign has its note already, so that no note needs to be written."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("manypath.campaign.supply.Supply.take", stopped)
    called(*RUNS[case], code=130)
    assert list(Path("runs/campaigns").iterdir())

    def begun(*_: object) -> None:
        pytest.fail("a run has begun")

    monkeypatch.setattr("manypath.campaign.supply.Supply.take", begun)
    with read_only(Path("runs")):
        said = called(*RUNS[case], code=2).err.splitlines()[-1]
    assert said.startswith("error: store: runs cannot be written (Permission denied): ")


def test_a_campaign_of_python_finds_it_before_the_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    campaign = mp.Campaign(run_with, {"cc": ["newreno"]}, replications=2)
    campaign.run(tmp_path, progress=False)
    next(tmp_path.glob("*.parquet")).unlink()
    monkeypatch.setattr("manypath.campaign.supply.Supply.take", lambda *_: pytest.fail("a run has begun"))
    with read_only(tmp_path), pytest.raises(UserError, match=r"^store: .* cannot be written \(Permission denied\): "):
        campaign.run(tmp_path, progress=False)


def test_a_store_that_takes_no_curves_is_found_before_the_first_run(here: Path, called, monkeypatch):
    """[D11]'s figures of windows need curves, in a folder of their own."""
    Path("runs/curves").mkdir(parents=True)
    monkeypatch.setattr("manypath.campaign.supply.Supply.take", lambda *_: pytest.fail("a run has begun"))
    with read_only(Path("runs/curves")):
        said = called(*RUNS["a paper"], code=2).err.splitlines()[-1]
    assert said.startswith(f"error: store: {Path('runs/curves').absolute()} cannot be written (Permission denied): ")
