"""A paper computed in parts: on machines without a shared folder, on Dask, and in a killed process."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from small_paper import PAPER

from manypath.campaign.progress import Silent
from manypath.errors import UserError
from manypath.papers.evaluation import evaluate
from manypath.papers.parts import compute_part

ROUNDS = 20
"""More parts than the small paper needs (one for each look, suspect and table)."""


class Counted(Silent):
    """Progress that records the number of stored runs at the start, and of new runs."""

    def __init__(self):
        self.found: int | None = None
        self.made = 0

    def begin(self, total, stored):
        assert stored <= total
        self.found = stored if self.found is None else self.found

    def advance(self, runs):
        self.made += runs


def keys_in(store):
    """Return the keys of the runs in the shards of a store."""
    return [key for shard in Path(store).glob("*.parquet") for key in pq.read_table(shard)["key"].to_pylist()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The paper with full precision, on one machine."""
    return evaluate([PAPER], full=True, store=tmp_path_factory.mktemp("runs"), progress=False)


def digests(evaluation):
    return list(evaluation.papers[0].grown.digests())


def test_two_machines_with_separate_folders_compute_each_run_once(whole, tmp_path):
    stores = [tmp_path / "one", tmp_path / "two"]
    made = []
    missing = []
    for _ in range(ROUNDS):
        counted = [Counted(), Counted()]
        missing = [
            compute_part([PAPER], f"{part}/2", full=True, store=store, workers=1, progress=count)["small"]
            for part, store, count in zip((1, 2), stores, counted, strict=True)
        ]
        made.append([count.made for count in counted])
        for source, target in (stores, reversed(stores)):
            shutil.copytree(source, target, dirs_exist_ok=True)
        if missing == [0, 0]:
            break
    assert missing == [0, 0]
    assert all(made[0])
    assert sum(map(sum, made)) == len(set(keys_in(stores[0]))) == whole.papers[0].runs
    alone = evaluate([PAPER], full=True, store=stores[0], progress=False, compute=False)
    assert alone.claims == whole.claims
    assert digests(alone) == digests(whole)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "half", "1/0"])
def test_a_part_that_there_is_not_is_one_clear_line(shard, tmp_path):
    with pytest.raises(UserError, match="is no part"):
        compute_part([PAPER], shard, store=tmp_path, progress=False)


KILLED = """
import time
from dataclasses import replace
from itertools import count
from small_paper import PAPER
from manypath.campaign.work import Work
from manypath.papers.evaluation import evaluate

do, begun = Work.do, count(1)

def held(*arguments):
    if next(begun) > 3:
        time.sleep(600)
    return do(*arguments)

Work.do = held
full = replace(PAPER.full, replications=400, most=0, warmup="100 ms", measure="20 s")
evaluate([replace(PAPER, full=full)], full=True, store="runs", progress=False, workers=1)
"""
"""A process that computes three batches, and waits to be killed."""


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)], ids=["SIGKILL", "SIGTERM"]
)
def test_a_killed_process_keeps_its_results_and_the_next_one_continues(number, tmp_path):
    paths = [str(Path(__file__).parent), *sys.path]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    ) as process:
        give_up = time.monotonic() + 300.0
        while len(list((tmp_path / "runs").glob("*.parquet"))) < 3:
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.02)
        process.send_signal(number)
    assert process.returncode == -number
    kept = keys_in(tmp_path / "runs")
    assert len(set(kept)) == len(kept) >= 3
    counted = Counted()
    few = replace(PAPER.full, replications=3, most=0, measure="20 s")
    evaluate(
        [replace(PAPER, full=few)],
        full=True,
        store=tmp_path / "runs",
        progress=counted,
        profiles=False,
        mutations=False,
    )
    assert counted.found
    assert len(set(keys_in(tmp_path / "runs"))) == len(kept) + counted.made


def test_workers_of_dask_compute_the_same_and_keep_curves_in_the_store(whole, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra manypath[dask] is not installed")
    import dask.config

    import manypath as mp

    settings = {"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "300s"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        # The worker has another working directory, so a relative name of the store is another folder there.
        monkeypatch.chdir(tmp_path)
        far = evaluate([PAPER], full=True, store="runs", progress=False, executor=mp.dask(client))
    assert far.claims == whole.claims
    assert digests(far) == digests(whole)
    # The runs of a mutation are sampled, too, because claims about curves may read them.
    assert list((tmp_path / "runs" / "curves").glob("*.parquet"))
    again = evaluate([PAPER], full=True, store="runs", progress=False, compute=False)
    assert again.claims == whole.claims
