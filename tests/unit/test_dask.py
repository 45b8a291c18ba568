"""Campaigns on the workers of Dask: real processes, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import manypath as mp
from manypath.campaign import Work
from manypath.campaign.executors.dask import connect
from manypath.campaign.runners import SIMULATOR
from manypath.papers.stored import Stored

if TYPE_CHECKING:
    from distributed import Client

distributed = pytest.importorskip("distributed", reason="the extra manypath[dask] is not installed")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers, each a process with one thread."""
    settings = {"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "60s"}
    import dask.config

    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def test_whoever_computes_the_runs_are_the_same(client: Client, scenario, tmp_path: Path):
    """On this machine, on workers of Dask, or in three parts: equal digests."""
    campaign = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"], "north": ["1 Mbit/s"]}, replications=4)
    local = campaign.run(store=None, progress=False)
    far = campaign.run(store=tmp_path / "dask", progress=False, executor=mp.dask(client))
    for part in ("1/3", "2/3", "3/3"):
        campaign.run(store=tmp_path / "parts", progress=False, shard=part)

    parts = campaign.run(store=tmp_path / "parts", progress=False, executor=Stored())
    assert local.runs["digest"].is_unique
    for others in (far, parts):
        assert others.runs["digest"].tolist() == local.runs["digest"].tolist()
        assert others.flows.equals(local.flows)


def test_a_worker_that_is_killed_costs_its_batch_and_nothing_else(client: Client, tmp_path: Path):
    log = tmp_path / "log"
    log.touch()

    def slow(seed: int) -> dict[str, float]:
        with log.open("a") as file:
            file.write(f"{os.getpid()} {seed}\n")
        time.sleep(0.02)
        return {"x": seed / 7}

    def begun() -> list[tuple[int, str]]:
        return [(int(line.split()[0]), line.split()[1]) for line in log.read_text().splitlines()]

    killed: list[int] = []

    def kill_one() -> None:
        while not killed:
            time.sleep(0.01)
            pid, calls = next(iter(Counter(pid for pid, _ in begun()).most_common(1)), (0, 0))
            if calls >= 30:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    threading.Thread(target=kill_one).start()
    campaign = mp.Campaign(mp.Function(slow, version="1"), replications=150)
    executor = mp.dask(client, batch_seconds=0.5)
    found = campaign.run(store=tmp_path / "runs", progress=False, executor=executor).runs
    assert killed
    assert len(found) == 150
    twice = {seed: times for seed, times in Counter(seed for _, seed in begun()).items() if times > 1}
    kept = {seed for pid, seed in begun() if pid == killed[0]} - twice.keys()
    assert kept, "what the worker had reported was not computed again"
    # The batches of half a second have some 25 runs, or a few more while the pace is learnt.
    assert len(twice) <= 60
    assert len(campaign.run(store=tmp_path / "runs", progress=False)) == 150


def test_workers_need_a_folder_to_hand_results_over(client: Client, scenario):
    with pytest.raises(mp.UserError, match="store: None keeps nothing, and workers of Dask hand results over"):
        mp.Campaign(scenario(), replications=1).run(store=None, progress=False, executor=mp.dask(client))


def test_a_worker_with_another_engine_is_refused(tmp_path: Path):
    with pytest.raises(mp.UserError, match=r"a worker has the engine .*, this process has old: install the same"):
        Work(SIMULATOR, "old", tmp_path).do([], 1, None)  # pyright: ignore[reportArgumentType]


def test_a_scheduler_that_is_not_there_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("manypath.campaign.executors.dask.PATIENCE_SECONDS", 0.5)
    with pytest.raises(mp.UserError, match=r"dask: no scheduler answers at tcp://127\.0\.0\.1:1 "):
        connect("tcp://127.0.0.1:1")
