"""Campaigns on the workers of Dask. The workers are real processes; one is killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import manypath as mp
from manypath.campaign import Cell, Work
from manypath.campaign.executors.dask import DaskExecutor, connect
from manypath.campaign.progress import Silent
from manypath.campaign.runners import SIMULATOR, chance
from manypath.campaign.work import Batch
from manypath.papers.stored import Stored

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

distributed = pytest.importorskip("distributed", reason="the extra manypath[dask] is not installed")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers, each a process with one thread."""
    settings = {"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "300s"}
    import dask.config

    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def test_runs_are_equal_on_every_executor(client: Client, scenario, tmp_path: Path):
    """Digests are equal on this machine, on workers of Dask, and in three parts."""
    campaign = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"], "north": ["1 Mbit/s"]}, replications=4)
    local = campaign.run(store=None, progress=False)
    far = campaign.run(store=tmp_path / "dask", progress=False, executor=mp.dask(client))
    for part in ("1/3", "2/3", "3/3"):
        campaign.run(store=tmp_path / "parts", progress=False, shard=part)

    parts = campaign.run(store=tmp_path / "parts", progress=False, executor=Stored("campaign", tmp_path / "parts"))
    assert local.runs["digest"].is_unique
    for others in (far, parts):
        assert others.runs["digest"].tolist() == local.runs["digest"].tolist()
        assert others.flows.equals(local.flows)


CALLS = 30
"""The call at which a worker waits: in its second batch or later, and before half of the runs are done."""


class Noted(DaskExecutor):
    """Notes the seeds of the runs in batches that workers have reported."""

    def __init__(self, client: Client, batch_seconds: float) -> None:
        super().__init__(client, batch_seconds)
        self.reported: set[str] = set()

    def batches(self, work: Work, cells: Sequence[Cell], tell: Callable[[str], None]) -> Iterator[Batch]:
        for batch in super().batches(work, cells, tell):
            self.reported.update(str(chance(cell)) for cell, _ in batch.outcomes)
            yield batch


def test_only_the_batch_of_a_killed_worker_is_lost(client: Client, tmp_path: Path):
    log, killed = tmp_path / "log", tmp_path / "killed"
    log.touch()

    def slow(seed: int) -> dict[str, float]:
        with log.open("a") as file:
            file.write(f"{os.getpid()} {seed}\n")
        time.sleep(0.02)
        # In the middle of a batch, each worker waits until one of them is killed
        end = time.monotonic() + 300
        mine = sum(line.startswith(f"{os.getpid()} ") for line in log.read_text().splitlines())
        while mine >= CALLS and not killed.exists() and time.monotonic() < end:
            time.sleep(0.01)
        return {"x": seed / 7}

    def begun() -> list[tuple[int, str]]:
        return [(int(line.split()[0]), line.split()[1]) for line in log.read_text().splitlines()]

    def kill_one() -> None:
        while not killed.exists():
            time.sleep(0.01)
            calls = begun()
            for pid, number in Counter(pid for pid, _ in calls).items():
                if number >= CALLS and any(who == pid and seed in executor.reported for who, seed in calls):
                    os.kill(pid, signal.SIGKILL)
                    killed.write_text(str(pid))
                    break

    executor = Noted(client, batch_seconds=0.5)
    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    campaign = mp.Campaign(mp.Function(slow, version="1"), replications=150)
    found = campaign.run(store=tmp_path / "runs", progress=False, executor=executor).runs
    killer.join()
    assert len(found) == 150
    twice = {seed: times for seed, times in Counter(seed for _, seed in begun()).items() if times > 1}
    kept = {seed for pid, seed in begun() if pid == int(killed.read_text())} - twice.keys()
    assert kept, "what the worker had reported was not computed again"
    # A batch of half a second has about 25 runs, or a few more until the time per run is known.
    assert len(twice) <= 60
    assert len(campaign.run(store=tmp_path / "runs", progress=False)) == 150


def test_workers_need_a_folder_for_results(client: Client, scenario):
    with pytest.raises(
        mp.UserError, match="store: None is not valid with Dask, whose workers pass results in a folder"
    ):
        mp.Campaign(scenario(), replications=1).run(store=None, progress=False, executor=mp.dask(client))


def test_a_worker_with_another_engine_is_refused(tmp_path: Path):
    with pytest.raises(mp.UserError, match=r"a worker has the engine .*, the campaign has old: install the same"):
        Work(SIMULATOR, "old", tmp_path).do([], 1, None)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "foo", "", "tcp://", "inproc://x"])
def test_a_missing_scheduler_is_reported_in_one_line(address: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("manypath.campaign.executors.dask.ANSWER_SECONDS", 0.5)
    with pytest.raises(
        mp.UserError, match=rf"^dask: no scheduler answers at {address} \(.+\): give its address"
    ) as printed:
        connect(address)
    assert len(str(printed.value).splitlines()) == 1


def test_a_server_that_does_not_answer_is_no_scheduler(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("manypath.campaign.executors.dask.ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(mp.UserError, match=rf"no scheduler answers at {address} \(no answer for 0.5 s\)"):
            connect(address)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a scheduler answer late, as on a busy machine."""
    monkeypatch.setattr("manypath.campaign.executors.dask.ANSWER_SECONDS", 300)
    monkeypatch.setattr("manypath.campaign.executors.dask.PATIENCE_SECONDS", 300)


@pytest.mark.usefixtures("patience")
def test_a_worker_is_no_scheduler(client: Client):
    address = next(iter(client.nthreads()))  # pyright: ignore[reportArgumentType, reportCallIssue] - not asynchronous
    with pytest.raises(mp.UserError, match=f"{address} is a worker, no scheduler: give the address of the scheduler"):
        connect(address)


@pytest.fixture
def empty() -> Iterator[LocalCluster]:
    """A scheduler without workers."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        yield cluster


@pytest.mark.usefixtures("patience")
def test_a_scheduler_without_workers_is_reported_and_awaited(
    empty: LocalCluster, scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The message is printed after a delay and then at intervals; the campaign continues when a worker joins."""
    monkeypatch.setattr("manypath.campaign.executors.dask.LONELY_SECONDS", 0.2)
    monkeypatch.setattr("manypath.campaign.executors.dask.REMIND_SECONDS", 0.1)
    report: list[str] = []

    class Heard(Silent):
        def say(self, text: str) -> None:
            report.append(text)
            if len(report) == 2:
                empty.scale(1)

    campaign = mp.Campaign(scenario(), replications=3)
    found = campaign.run(tmp_path, progress=Heard(), executor=connect(empty.scheduler_address))
    assert len(found) == 3
    first = r"dask: the scheduler has had no workers for \d+ s; waiting: start one with `dask worker tcp"
    assert re.match(first, report[0])
    assert empty.scheduler_address in report[1]


WAITING = """
import sys
import manypath as mp
from manypath.campaign.executors import dask
from tests.conftest import two_paths
dask.LONELY_SECONDS = 0.2
dask.ANSWER_SECONDS = dask.PATIENCE_SECONDS = 300
executor = dask.connect(sys.argv[1])
try:
    mp.Campaign(two_paths(), replications=3).run(sys.argv[2], executor=executor)
except mp.Stopped as stopped:
    print(stopped)
"""


def test_ctrl_c_ends_the_wait_for_workers(empty: LocalCluster, tmp_path: Path):
    command = [sys.executable, "-c", WAITING, empty.scheduler_address, str(tmp_path)]
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while "no workers" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=300)
    assert out.startswith("stopped after 0 of 3 runs")
