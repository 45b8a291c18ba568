"""A campaign runs every replication of every combination once, and can be resumed."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import manypath as mp
from manypath import _native
from manypath.campaign import Work
from manypath.campaign.executors import LocalExecutor
from manypath.campaign.executors.feed import Pace
from manypath.campaign.runners import SIMULATOR

ROOT = Path(__file__).parents[2]
IMPORTS_TESTS = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
"""An environment in which scripts can import modules of this folder."""

FACTORS = {"cc": ["newreno", "cmt-rpv2"], "north": ["1 Mbit/s", "10 Mbit/s"]}


def test_every_combination_is_repeated(scenario, engine, tmp_path: Path):
    results = mp.Campaign(scenario, FACTORS, replications=3).run(store=tmp_path, progress=False)
    assert len(results) == 12
    assert set(results.flows.columns) == {"cc", "north", "replication", "flow", "goodput"}
    assert len(results.flows) == 24
    assert sum(engine.ran.values()) == 12


def test_replications_have_common_random_numbers_in_all_scenarios(scenario, engine, tmp_path: Path):
    mp.Campaign(scenario, FACTORS, replications=3, seed=42).run(store=tmp_path, progress=False)
    chances = {}
    for document, seed, replication in engine.ran:
        chances.setdefault(document, set()).add((seed, replication))
    assert len(chances) == 4
    assert all(seen == {(42, 0), (42, 1), (42, 2)} for seen in chances.values())


def test_combinations_may_be_given_one_by_one(scenario, engine):
    wanted = [{"cc": "newreno", "north": "1 Mbit/s"}, {"cc": "cmt-rpv2", "north": "10 Mbit/s"}]
    results = mp.Campaign(scenario, wanted, replications=1).run(store=None, progress=False)
    assert [cell.factors for cell, _ in results.outcomes] == wanted


def test_a_single_scenario_is_a_campaign_too(scenario, engine):
    results = mp.Campaign(scenario(), replications=2).run(store=None, progress=False)
    assert list(results.values("goodput", flow="cmt")) == [1.0, 2.0]


def test_no_run_is_computed_twice(scenario, engine, tmp_path: Path):
    first = mp.Campaign(scenario, FACTORS, replications=2).run(store=tmp_path, progress=False)
    again = mp.Campaign(scenario, FACTORS, replications=2).run(store=tmp_path, progress=False)
    assert again.flows.equals(first.flows)
    mp.Campaign(scenario, FACTORS, replications=3).run(store=tmp_path, progress=False)
    assert set(engine.ran.values()) == {1}
    assert sum(engine.ran.values()) == 12


def test_equal_scenarios_under_different_names_run_once(scenario, engine, tmp_path: Path):
    factors = {"north": ["10 Mbit/s", "10000 kbit/s"]}
    results = mp.Campaign(scenario, factors, replications=1).run(store=tmp_path, progress=False)
    assert sum(engine.ran.values()) == 1
    assert list(results.flows["north"].unique()) == ["10 Mbit/s", "10000 kbit/s"]


def test_another_version_of_the_engine_computes_all_runs_again(scenario, engine, tmp_path: Path):
    campaign = mp.Campaign(scenario, FACTORS, replications=1)
    campaign.run(store=tmp_path, progress=False)
    engine.version = "2"
    campaign.run(store=tmp_path, progress=False)
    assert set(engine.ran.values()) == {2}


def test_only_runs_of_a_damaged_shard_are_computed_again(scenario, engine, tmp_path: Path):
    campaign = mp.Campaign(scenario, FACTORS, replications=8)
    campaign.run(store=tmp_path, workers=2, progress=False)
    shards = sorted(tmp_path.glob("*.parquet"))
    assert len(shards) > 1
    shards[0].write_bytes(b"PAR1")
    before = sum(engine.ran.values())
    with pytest.warns(mp.StoreWarning, match="its runs are computed again"):
        campaign.run(store=tmp_path, workers=2, progress=False)
    assert 0 < sum(engine.ran.values()) - before < before


def test_batches_grow_to_the_wanted_duration(scenario, engine):
    cells = mp.Campaign(scenario(), replications=200).cells
    work = Work(SIMULATOR, engine.version)
    done = list(LocalExecutor(workers=1, batch_seconds=60).batches(work, cells, print))
    assert [cell for batch in done for cell, _ in batch.outcomes] == cells
    assert engine.batches == [1, 4, 16, 64, 115]


def test_batches_shrink_towards_the_end_so_that_all_workers_finish_together():
    pace = Pace(batch_seconds=10)
    assert pace.size(remaining=100, slots=2) == 1
    pace.learn(runs=5, seconds=5)
    sizes, remaining = [], 60
    while remaining:
        sizes.append(pace.size(remaining, slots=2))
        remaining -= sizes[-1]
    assert sizes == [10, 10, 10, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1]


def test_ctrl_c_keeps_finished_runs_and_prints_how_to_continue(scenario, engine, tmp_path: Path):
    def press_ctrl_c() -> None:
        if len(engine.batches) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    engine.after_batch = press_ctrl_c
    handler = signal.getsignal(signal.SIGINT)
    campaign = mp.Campaign(scenario(), replications=100)
    with pytest.raises(mp.Stopped) as stopped:
        campaign.run(store=tmp_path, workers=2, progress=False)
    done = sum(engine.ran.values())
    assert done < 100
    assert str(stopped.value) == (
        f"stopped after {done} of 100 runs, which are stored in {tmp_path}: the same command continues from there"
    )
    assert signal.getsignal(signal.SIGINT) is handler
    assert len(campaign.run(store=tmp_path, progress=False)) == 100
    assert set(engine.ran.values()) == {1}


def test_ctrl_c_in_the_last_batch_also_stops_the_program(scenario, engine, tmp_path: Path):
    """A program with several campaigns must not begin the next one."""
    engine.after_batch = lambda: len(engine.batches) == 2 and os.kill(os.getpid(), signal.SIGINT)
    campaign = mp.Campaign(scenario(), replications=2)
    with pytest.raises(mp.Stopped, match="stopped after 2 of 2 runs"):
        campaign.run(store=tmp_path, workers=1, progress=False)


# The gate has the story of kill -9 in `test_rough_handling.py`.
@pytest.mark.long
def test_a_killed_campaign_is_resumed(tmp_path: Path):
    """A process that is killed in its third batch has lost only that batch."""
    script = textwrap.dedent("""
        import os, sys
        from pathlib import Path
        import manypath as mp
        from manypath import _native
        from tests.conftest import WatchedEngine, two_paths
        engine = WatchedEngine()
        def end():
            if len(engine.batches) == int(sys.argv[2]):
                print(sum(engine.batches[:-1]), flush=True)
                os._exit(9)
        engine.after_batch = end
        _native.run_batch = engine.run_batch
        mp.Campaign(two_paths(), replications=50).run(store=sys.argv[1], workers=1, progress=False)
        print(sum(engine.ran.values()))
    """)

    def run(die_in: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script, str(tmp_path), str(die_in)]
        return subprocess.run(command, env=IMPORTS_TESTS, capture_output=True, text=True, check=False)

    killed = run(die_in=3)
    assert killed.returncode == 9
    done = run(die_in=0)
    assert done.returncode == 0, done.stderr
    assert int(killed.stdout) + int(done.stdout) == 50
    assert int(killed.stdout) >= 2


def test_a_run_that_fails_is_named_and_the_others_are_kept(scenario, engine, tmp_path: Path):
    engine.failing = {2, 3}
    campaign = mp.Campaign(scenario, {"cc": ["newreno"], "north": ["5 Mbit/s"]}, replications=4)
    with pytest.raises(_native.RunError) as failed:
        campaign.run(store=tmp_path, workers=4, progress=False)
    assert str(failed.value) == (
        "cc = newreno, north = 5 Mbit/s, seed 1, replication 2: 5 packets are missing (and 1 more failed); "
        f"2 of 4 runs are stored in {tmp_path}"
    )
    engine.failing = set()
    assert len(campaign.run(store=tmp_path, progress=False)) == 4
    assert set(engine.ran.values()) == {1}


def test_a_second_ctrl_c_aborts_the_current_runs():
    """What runs for years of simulated time ends soon, and its thread with it."""
    script = textwrap.dedent("""
        import os, signal, threading, time
        import manypath as mp
        from manypath import _native
        from manypath.campaign.executors.interrupt import STOPPING
        from manypath.campaign.progress import Silent
        from tests.conftest import two_paths
        heard = threading.Event()
        def press_twice():
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)
            # Two signals that arrive before the program has a turn are one.
            heard.wait()
            os.kill(os.getpid(), signal.SIGINT)
        def run_batch(*batch):
            threading.Thread(target=press_twice).start()
            return engine(*batch)
        class Told(Silent):
            def say(self, text):
                assert text == STOPPING
                heard.set()
        engine, _native.run_batch = _native.run_batch, run_batch
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            mp.Campaign(two_paths().but(measure="50000 h")).run(store=None, workers=1, progress=Told())
        except KeyboardInterrupt:
            print("given up")
    """)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=IMPORTS_TESTS, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "given up\n"), done.stderr


def test_an_error_names_its_scenario(scenario, engine):
    campaign = mp.Campaign(scenario, {"cc": ["newreno"], "north": ["1 Mbit/s", "fast"]})
    with pytest.raises(
        mp.UserError, match=r'rate: "fast" is no rate: .* \(in the scenario with cc = newreno, north = fast\)'
    ):
        campaign.run(store=None, progress=False)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda scenario: mp.Campaign(scenario, replications=0), "replications: 0 is not a number of repetitions"),
        (lambda scenario: mp.Campaign(scenario, {"cc": "newreno"}), 'factors.cc: "newreno" is no list of values'),
        (lambda scenario: mp.Campaign(scenario, {"cc": []}), "factors.cc: .* is no list of values"),
        (
            lambda scenario: mp.Campaign(scenario, {"cc": ["lia", ["olia"]]}).run(store=None, progress=False),
            r"factors.cc: \['olia'\] cannot be a label: give texts, numbers or tuples",
        ),
        (
            lambda scenario: mp.Campaign(scenario, {"cc": ["lia", math.nan]}).run(store=None, progress=False),
            r"factors.cc: nan cannot be a label: give texts, numbers or tuples",
        ),
        (
            lambda scenario: mp.Campaign(scenario(), precision=mp.Precision(metric="godput")).run(store=None),
            'precision: "godput" is no column of these results: did you mean "goodput"?',
        ),
        (
            lambda scenario: mp.Campaign(scenario(), precision=mp.Precision(metric="srtt")).run(store=None),
            'precision: "srtt" is a measurement of paths, whose rows have other columns: group or select by "path"',
        ),
        (
            lambda scenario: mp.Campaign(scenario, [{"cc": {"a": 1}}]).run(store=None, progress=False),
            r"factors.cc: \{'a': 1\} cannot be a label",
        ),
        (lambda scenario: mp.Campaign(scenario, []), "factors: there are no combinations: give one or more"),
        (lambda scenario: mp.Campaign(scenario(), {"cc": ["newreno"]}), "factors: a single scenario has no factors"),
        (lambda scenario: mp.Campaign(scenario()).run(store=None, workers=0), "workers: 0 is not a number of threads"),
    ],
)
def test_a_wrong_campaign_is_refused(make, message: str, scenario, engine):
    with pytest.raises(mp.UserError, match=message):
        make(scenario)


MISSING: dict[str, Any] = {
    "NaN": [1.0, math.nan],
    "NaN of numpy": [1, np.float32("nan")],
    "an array with NaN": np.array([1.0, math.nan]),
    "NaN of decimal": [1, Decimal("NaN")],
    "signalling NaN": [1, Decimal("sNaN")],
    "NaT": [1, pd.NaT],
    "NaT of numpy": [1, np.datetime64("NaT")],
    "a span": [1, np.timedelta64("NaT")],
    "an array with NaT": np.array(["2020-01-01", "NaT"], dtype="datetime64[s]"),
    "an array with NaT in nanoseconds": np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"),
    "NA": [1, pd.NA],
    "a column with NA": pd.Series([1, pd.NA], dtype="Int64"),
    "a column with NaT": pd.Series(["2020-01-01", None], dtype="datetime64[ns]"),
    "a tuple": [1, (2, (math.nan,))],
}
"""Values of a factor that are no value."""


@pytest.mark.parametrize("case", MISSING)
@pytest.mark.parametrize("form", ["all combinations", "some combinations"])
def test_a_missing_value_of_a_factor_is_refused(case: str, form: str, scenario):
    values = MISSING[case]
    factors = {"size": values} if form == "all combinations" else [{"size": value} for value in [*values]]
    campaign = mp.Campaign(lambda size: scenario() if size == 1 else scenario("cubic"), factors, replications=1)
    said = r"^factors\.size: .*(nan|NaN|NaT|NA).* cannot be a label: give texts, numbers or tuples$"
    with pytest.raises(mp.UserError, match=said):
        campaign.run(store=None, progress=False)


def test_progress_is_printed_on_standard_error(scenario, engine, capsys):
    mp.Campaign(scenario(), replications=5).run(store=None, title="two paths")
    result = capsys.readouterr()
    assert result.out == ""
    assert "two paths: 5 runs, 0 of them already stored" in result.err
