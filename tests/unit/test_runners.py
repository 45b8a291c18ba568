"""Functions and programs that return numbers for parameters and a seed can be swept."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import manypath as mp
from manypath import _native
from manypath._native import RunError
from manypath.campaign import Cell
from manypath.campaign.runners import chance
from manypath.campaign.runners.row import read_row

PROGRAM = """
import sys
rate, seed = float(sys.argv[1]), int(sys.argv[2])
if rate == 13:
    sys.exit("no link is that slow")
print("goodput =", 0.9 * rate)
print("seed", seed)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """The command line of another simulator."""
    (tmp_path / "simulator.py").write_text(PROGRAM)
    return f"{sys.executable} {tmp_path / 'simulator.py'} {{rate}} {{seed}}"


def queue(rate: float, seed: int) -> dict[str, float]:
    """Return the mean of some waiting times."""
    return {"wait": float(np.random.default_rng(seed).exponential(1 / rate, 10).mean())}


def test_a_function_is_swept_and_never_called_twice(tmp_path: Path):
    calls: list[tuple[float, int]] = []

    def watched(rate: float, seed: int) -> dict[str, float]:
        calls.append((rate, seed))
        return queue(rate, seed)

    campaign = mp.Campaign(mp.Function(watched, version="1"), {"rate": [2.0, 4.0]}, replications=5)
    results = campaign.run(store=tmp_path, progress=False)
    assert results.runs.columns.tolist() == ["rate", "replication", "wait"]
    assert campaign.run(store=tmp_path, progress=False).runs.equals(results.runs)
    assert len(calls) == len(set(calls)) == 10
    means = results.mean("wait", by=["rate"]).set_index("rate")["mean"]
    assert mp.figures.lines(results, x="rate", y="wait").figure.axes
    # With equal random numbers, twice the rate halves the waiting time exactly.
    assert means[2.0] == pytest.approx(2 * means[4.0])


def test_equal_replications_have_equal_seeds_in_every_scenario():
    cells = [Cell({"rate": rate}, f'{{"rate":{rate}}}', 1, replication) for rate in (1, 2) for replication in (0, 1)]
    chances = [chance(cell) for cell in cells]
    assert chances[:2] == chances[2:]
    assert len({chance(Cell({}, "", seed, replication)) for seed in range(30) for replication in range(30)}) == 900
    assert all(1 <= chance(Cell({}, "", 1, replication)) < 2**31 for replication in range(100))


def test_differences_are_taken_in_pairs():
    def with_luck(way: str, seed: int) -> dict[str, float]:
        return {"goodput": int(np.random.default_rng(seed).integers(10, 20)) + (0.5 if way == "new" else 0.0)}

    campaign = mp.Campaign(mp.Function(with_luck), {"way": ["old", "new"]}, replications=8)
    (found,) = campaign.run(store=None, progress=False).compare("goodput", "way", baseline="old").to_dict("records")
    assert found["way"] == "new"
    assert (found["difference"], found["half_width"], found["n"], found["p_value"]) == (0.5, 0, 8, 0)


def test_flows_are_compared_flow_by_flow(scenario):
    results = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"]}, replications=3).run(store=None, progress=False)
    found = results.compare("goodput", "cc", baseline="newreno").set_index("flow")
    new, old = (results.values("goodput", cc=cc, flow="cmt") for cc in ("cmt-rpv2", "newreno"))
    assert found.loc["cmt", "difference"] == pytest.approx((new - old).mean())
    assert found["cc"].tolist() == ["cmt-rpv2", "cmt-rpv2"]
    with pytest.raises(mp.UserError, match='baseline: "newrono" is no value of cc: did you mean "newreno"'):
        results.compare("goodput", "cc", baseline="newrono")


def test_a_changed_function_is_run_again_and_old_results_are_kept():
    def one(seed: int) -> dict[str, float]:
        return {"x": 1.0}

    def two(seed: int) -> dict[str, float]:
        return {"x": 2.0}

    assert mp.Function(one).version != mp.Function(two).version
    assert mp.Function(one, version="a").version == mp.Function(one, version="a").version
    with pytest.raises(mp.UserError, match="has no source for a hash"):
        mp.Function(eval("lambda seed: {'x': 1}"))  # noqa: S307 (a constant text)


def test_a_command_is_swept(program: str, tmp_path: Path):
    campaign = mp.Campaign(mp.Command(program), {"rate": [5, 10]}, replications=2)
    rows = campaign.run(store=tmp_path / "runs", progress=False).runs
    assert rows["goodput"].tolist() == [4.5, 9.0, 4.5, 9.0]
    assert rows["seed"].tolist() == [float(chance(cell)) for cell in campaign.cells]


def test_a_changed_program_is_run_again(program: str, tmp_path: Path):
    before = mp.Command(program).version
    assert mp.Command(program).version == before
    (tmp_path / "simulator.py").write_text(PROGRAM + "\n")
    assert mp.Command(program).version != before


def test_a_failed_command_is_reported_with_its_last_line(program: str, tmp_path: Path):
    campaign = mp.Campaign(mp.Command(program), {"rate": [5, 13]}, replications=1)
    with pytest.raises(_native.RunError) as failed:
        campaign.run(store=tmp_path / "runs", workers=1, progress=False)
    printed = str(failed.value)
    assert printed.startswith("rate = 13, seed 1, replication 0: `")
    assert f"ended with 1: no link is that slow; 1 of 2 runs are stored in {tmp_path / 'runs'}" in printed


def test_a_command_that_hangs_is_killed():
    command = mp.Command(f"{sys.executable} -c 'import time; time.sleep(600)'", timeout="300 ms")
    started = time.monotonic()
    with pytest.raises(_native.RunError, match=r"took longer than 0\.3 s: increase timeout"):
        mp.Campaign(command, replications=1).run(store=None, progress=False)
    assert time.monotonic() - started < 300


def test_ctrl_c_lets_a_command_finish(tmp_path: Path):
    """The command has its own process group, so the terminal's signal does not reach it."""
    program = textwrap.dedent("""
        import os, sys, time
        assert os.getpgid(0) == os.getpid()
        open(sys.argv[1], "w").close()
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
        print("x 1")
    """)
    (tmp_path / "slow.py").write_text(program)

    def press_ctrl_c() -> None:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        (tmp_path / "pressed").touch()

    files = " ".join(str(tmp_path / name) for name in ("slow.py", "begun", "pressed"))
    command = mp.Command(f"{sys.executable} {files}")
    threading.Thread(target=press_ctrl_c).start()
    with pytest.raises(mp.Stopped, match=r"stopped after [12] of 50 runs, which are stored"):
        mp.Campaign(command, replications=50).run(store=tmp_path / "runs", workers=2, progress=False)


def test_numbers_are_read_from_lines_or_json():
    assert read_row("goodput 4.7\nloss = 1e-3\n delay: 12 \n") == {"goodput": 4.7, "loss": 0.001, "delay": 12.0}
    assert read_row('{"goodput": 4.7, "nothing": null}') == {"goodput": 4.7, "nothing": None}


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ("connecting ...", 'printed "connecting ...": print JSON, or only lines such as "goodput 4.7"'),
        ("", "gave no row of numbers"),
        ("x 1\nx 2", 'printed "x" twice'),
        ("{x: 1}", "printed invalid JSON"),
        ('{"x": "fast"}', 'gave "fast" as x: give a finite number'),
        ('{"x": 1e999}', "gave inf as x: give a finite number"),
    ],
)
def test_an_invalid_row_of_numbers_is_refused(printed: str, message: str, tmp_path: Path):
    (tmp_path / "out").write_text(printed)
    with pytest.raises(_native.RunError) as failed:
        mp.Campaign(mp.Command(f"cat {tmp_path / 'out'}"), replications=1).run(store=None, progress=False)
    assert message in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mp.Command("no-such-simulator {rate}"), 'there is no program "no-such-simulator"'),
        (lambda: mp.Command("cat 'x"), "is no command line"),
        (lambda: mp.Command(" "), "command: is empty"),
        (lambda: mp.Command("cat x", timeout="2 parsecs"), 'timeout: "2 parsecs" is no time'),
        (
            lambda: mp.Campaign(mp.Command("echo {rat}"), {"rate": [1]}).run(store=None, progress=False),
            'command: "{rat}" is no factor: did you mean "rate"?',
        ),
        (
            lambda: mp.Campaign(mp.Function(queue), {"rate": [object()]}).run(store=None, progress=False),
            "is no value for a runner",
        ),
    ],
)
def test_an_invalid_runner_is_refused(make, message: str):
    with pytest.raises(mp.UserError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("runner", "factors", "message"),
    [
        (
            mp.Command("echo v {rate} {seed}"),
            {"rate": [1, 2], "delay": [3, 4]},
            'factors.delay: 3 and 4 give the same command: write {delay} into "echo v {rate} {seed}", or leave the '
            "factor out",
        ),
        (
            mp.Command("echo v {rate:.0f}"),
            {"rate": [1.25, 1.5, 0.75]},
            "factors.rate: 1.25 and 0.75 give the same command: give values that differ there, or leave the factor out",
        ),
        (
            mp.Function(queue, "1"),
            {"rate": [1], "delay": [3]},
            "factors: delay, rate differ from the arguments of test_runners.queue (got an unexpected keyword "
            "argument 'delay'): give all of its arguments except seed, and no others",
        ),
        (
            mp.Function(queue, "1"),
            None,
            "factors: none differ from the arguments of test_runners.queue (missing a required argument: 'rate'): "
            "give all of its arguments except seed, and no others",
        ),
    ],
)
def test_a_factor_that_a_runner_cannot_use_is_refused_before_the_first_run(runner, factors, message, tmp_path: Path):
    with pytest.raises(mp.UserError) as error:
        mp.Campaign(runner, factors, replications=1).run(tmp_path, progress=False)
    assert str(error.value) == message
    assert not list(tmp_path.iterdir())


def test_a_factor_may_be_a_label_of_combinations_or_one_value():
    """A name for each combination has an effect; a single value distinguishes nothing."""
    named = [{"case": "small", "rate": 1}, {"case": "large", "rate": 9}]
    program = mp.Command("echo v {rate}", version="1")
    for factors in (named, {"rate": [1, 9], "case": ["any"]}):
        results = mp.Campaign(program, factors, replications=1).run(store=None, progress=False)
        assert results.runs["v"].tolist() == [1, 9]
    anything = mp.Function(lambda **given: {"v": len(given) - 1}, "1")
    results = mp.Campaign(anything, {"a": [1, 2], "b": [3]}, replications=1).run(store=None, progress=False)
    assert results.runs["v"].tolist() == [2, 2]


def test_an_exception_of_a_function_ends_the_campaign_in_one_line():
    def broken(rate: int, seed: int) -> dict[str, float]:
        raise KeyError("eth7")

    with pytest.raises(_native.RunError, match=r"rate = 1, seed 1, replication 0: .*broken.* KeyError: 'eth7'"):
        mp.Campaign(mp.Function(broken), {"rate": [1]}, replications=1).run(store=None, progress=False)


def of_values(kind, value):
    """Return a function that uses a value of its surroundings, as a closure, a default argument or an object."""

    def closure(a, seed):
        return {"v": float(value)}

    def default(a, seed, used=value):
        return {"v": float(used)}

    class Holder:
        def method(self, a, seed):
            return {"v": float(value) + a * seed}

    return {"closure": closure, "default": default, "method": Holder().method}[kind]


LIMIT = 5
LINK = mp.Link(rate="5 Mbit/s", delay="5 ms")


def of_globals(a, seed):
    return {"v": float(LIMIT + LINK.rate)}


@pytest.mark.parametrize(("name", "value"), [("LIMIT", 7), ("LINK", LINK.but(rate="6 Mbit/s"))])
def test_a_function_that_names_another_value_outside_of_it_has_another_version(name, value, monkeypatch):
    before = mp.Function(of_globals).version
    assert mp.Function(of_globals).version == before
    monkeypatch.setitem(globals(), name, value)
    assert mp.Function(of_globals).version != before
    monkeypatch.setitem(globals(), name, object())
    with pytest.raises(mp.UserError, match=r"not only numbers, texts and parts of scenarios: give a version"):
        mp.Function(of_globals)


@pytest.mark.parametrize("kind", ["closure", "default"])
def test_a_function_with_another_value_around_it_has_other_results(kind, tmp_path):
    found = [
        mp.Campaign(mp.Function(of_values(kind, value)), {"a": [1]}, replications=1).run(tmp_path, progress=False)
        for value in (5, 7, 5)
    ]
    assert [each.runs["v"].tolist() for each in found] == [[5.0], [7.0], [5.0]]


def test_a_method_and_a_function_that_uses_an_object_need_a_version():
    with pytest.raises(mp.UserError, match="depends on its object: give a version"):
        mp.Function(of_values("method", 5))
    with pytest.raises(
        mp.UserError, match="uses argument used, not only numbers, texts and parts of scenarios: give a version"
    ):
        mp.Function(of_values("default", object()))
    assert mp.Function(of_values("method", 5), "1").version.endswith(":1")


def test_a_function_that_leaves_python_is_a_failed_run():
    def leaves(a, seed):
        raise SystemExit(3)

    with pytest.raises(RunError, match="SystemExit: 3"):
        mp.Campaign(mp.Function(leaves), {"a": [1]}, replications=1).run(None, progress=False)
