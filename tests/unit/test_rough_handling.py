"""Results survive killed processes, shared folders and full disks; tested with real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import manypath as mp
from manypath.campaign.compute import compute
from manypath.cli import frame_files
from manypath.papers.curves import CurveStore
from manypath.papers.traces import PathTrace, Trace

ROOT = Path(__file__).parents[2]
IMPORTS_TESTS = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
"""An environment in which scripts can import modules of this folder."""

RUNS = 60

CAMPAIGN = textwrap.dedent("""
    import os, sys, time
    from pathlib import Path
    import manypath as mp
    from manypath import _native
    from tests.conftest import two_paths
    engine = _native.run_batch
    held = int(sys.argv[3])
    def run_batch(documents, jobs, *rest):
        # One write for each line, as several threads write.
        os.write(1, " ".join(["begins", *(str(job[2]) for job in jobs), "\\n"]).encode())
        if held and len(list(Path(sys.argv[1]).glob("*.parquet"))) >= held:
            time.sleep(1000)  # until the test kills this process; the limit ends it if the test itself was killed
        return engine(documents, jobs, *rest)
    _native.run_batch = run_batch
    results = mp.Campaign(two_paths(), replications=int(sys.argv[2])).run(store=sys.argv[1], progress=False)
    print("digests", *results.runs["digest"])
""")
"""A campaign of the real engine that prints the batches that it starts, and its runs at the end.

Its third argument is a number of stored batches after which each further one hangs; 0 for none.
"""


def start(store: Path, runs: int = RUNS, held: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CAMPAIGN, str(store), str(runs), str(held)]
    return subprocess.Popen(
        command, env=IMPORTS_TESTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def finish(process: subprocess.Popen[str]) -> tuple[list[list[int]], list[str]]:
    """Return the batches that a campaign began, and its digests."""
    out, printed = process.communicate(timeout=300)
    assert process.returncode == 0, printed
    lines = [line.split() for line in out.splitlines()]
    begun = [[int(word) for word in words[1:]] for words in lines if words[0] == "begins"]
    return begun, next(words[1:] for words in lines if words[0] == "digests")


def digests(scenario, runs: int = RUNS) -> list[str]:
    """The runs of an undisturbed campaign."""
    return list(mp.Campaign(scenario(), replications=runs).run(store=None, progress=False).runs["digest"])


def stored(store: Path) -> int:
    """Return the number of rows in the shards of a store."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(shard).num_rows for shard in store.glob("*.parquet"))


def test_kill_9_loses_only_the_current_batches(scenario, tmp_path: Path):
    process = start(tmp_path, runs=400, held=2)
    assert process.stdout is not None
    begun: list[int] = []
    while len(list(tmp_path.glob("*.parquet"))) < 2:
        begun += [int(word) for word in process.stdout.readline().split()[1:]]
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    begun += [int(word) for line in rest.splitlines() for word in line.split()[1:] if line.startswith("begins")]
    assert process.returncode == -signal.SIGKILL
    kept, wanted = stored(tmp_path), max(begun) + 1
    assert 0 < kept <= len(begun)
    again, found = finish(start(tmp_path, wanted))
    assert sum(len(batch) for batch in again) == wanted - kept
    assert found == digests(scenario, wanted)
    assert stored(tmp_path) == wanted


SWEEP = """
replications = 100000
[scenario]
warmup = "1 s"
measure = "2 s"
network.disjoint.south = { rate = "5 Mbit/s", delay = "1 ms" }
flows.single.paths = ["south"]
"""


def test_ctrl_c_finishes_the_current_runs_of_a_sweep_which_can_be_resumed(tmp_path: Path):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    command = [sys.executable, "-m", "manypath", "sweep", "sweep.toml", "--workers", "1"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not list((tmp_path / "runs").glob("*.parquet")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, printed = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, ""), printed
    last = printed.splitlines()[-1]
    kept = stored(tmp_path / "runs")
    assert (
        last == f"stopped after {kept} of 100000 runs, which are stored in runs: the same command continues from there"
    )
    assert "Traceback" not in printed


@pytest.mark.long
def test_two_processes_share_a_store(scenario, tmp_path: Path):
    """Both processes finish, and a third one finds all runs stored."""
    expected = digests(scenario)
    for _, found in [finish(process) for process in [start(tmp_path), start(tmp_path)]]:
        assert found == expected
    begun, found = finish(start(tmp_path))
    assert (begun, found) == ([], expected)
    assert not (tmp_path / "set-aside").exists()


SHARED = textwrap.dedent("""
    import os, sys, time
    import manypath as mp
    from manypath.campaign import claims
    claims.PATIENCE_SECONDS = 300
    def slow(seed: int) -> dict[str, float]:
        os.write(1, b"began\\n")
        time.sleep(0.02)
        return {"x": seed / 7}
    if len(sys.argv) > 2:
        from manypath import replacement
        replace = replacement.Path.replace
        def never(path, target):
            if path.suffix == ".tmp" and target.suffix == ".parquet":
                os.write(1, b"writes\\n")
                time.sleep(1000)  # as above
            return replace(path, target)
        replacement.Path.replace = never
    campaign = mp.Campaign(mp.Function(slow, version="1"), replications=150)
    found = campaign.run(store=sys.argv[1], progress=False, workers=2).runs
    print("sum", found["x"].sum(), flush=True)
""")
"""A campaign of 150 runs that prints the start of each run; with a second argument it hangs while it writes results."""


def share(store: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SHARED, str(store), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)


def shared(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the number of started runs and the results of a campaign."""
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        # `communicate` would lose the output that an earlier `readline` has buffered.
        out, printed = process.stdout.read(), process.stderr.read()
    assert process.returncode == 0, printed
    return out.count("began"), out.splitlines()[-1]


@pytest.fixture(scope="module")
def expected() -> str:
    """The results of an undisturbed campaign."""
    campaign = mp.Campaign(mp.Function(lambda seed: {"x": seed / 7}, version="1"), replications=150)
    return f"sum {campaign.run(store=None, progress=False).runs['x'].sum()}"


def test_two_processes_on_one_store_compute_each_run_once(tmp_path: Path, expected: str):
    parts = [shared(process) for process in [share(tmp_path / "both"), share(tmp_path / "both")]]
    assert [found for _, found in parts] == [expected, expected]
    assert sum(runs for runs, _ in parts) == 150
    assert stored(tmp_path / "both") == 150


def test_a_process_that_is_killed_leaves_its_share_to_the_other_one_and_no_file(tmp_path: Path, expected: str):
    """A writer with claims is killed. The other process takes its claims over, and removes the partial file."""
    killed = share(tmp_path, "hangs")
    assert killed.stdout is not None
    while killed.stdout.readline() != "writes\n":
        assert killed.poll() is None
    other = share(tmp_path)
    assert other.stdout is not None
    assert other.stdout.readline() == "began\n"
    assert list(tmp_path.glob(".*.tmp")), "the writer is alive, so its file is kept"
    time.sleep(0.5)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    runs, found = shared(other)
    # It had begun one run before.
    assert (1 + runs, found) == (150, expected)
    assert shared(share(tmp_path)) == (0, expected)
    (tmp_path / "other.tmp").touch()
    campaign = mp.Campaign(mp.Function(lambda seed: {"x": seed}, version="2"), replications=1)
    campaign.run(store=tmp_path, progress=False)
    assert [path.name for path in tmp_path.rglob("*.tmp")] == ["other.tmp"]
    assert list((tmp_path / "claims").iterdir()) == [tmp_path / "claims" / "lock"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or system("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)) != 0:
        pytest.skip("making a small disk needs the right to mount (root)")
    yield folder
    assert system("umount", str(folder)) == 0


def system(*command: str) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_a_full_disk_is_reported_in_one_line_and_keeps_stored_runs(scenario, engine, small_disk: Path):
    engine.note = os.urandom(3000).hex()  # outcomes that cannot be compressed
    with pytest.raises(mp.UserError) as full:
        # With one worker the batches are in order, so the first replications are stored.
        mp.Campaign(scenario(), replications=100).run(store=small_disk, workers=1, progress=False)
    assert str(full.value).startswith(f"store: {small_disk} cannot be written (No space left on device): make room")
    assert "\n" not in str(full.value)
    assert not list(small_disk.glob(".*.tmp"))
    kept, ran = stored(small_disk), sum(engine.ran.values())
    assert 0 < kept < ran
    assert len(mp.Campaign(scenario(), replications=kept).run(store=small_disk, progress=False)) == kept
    assert sum(engine.ran.values()) == ran


@pytest.mark.parametrize("kind", ["curves", "frames"])
def test_parquet_files_on_a_full_disk_are_closed(kind: str, scenario, small_disk: Path):
    """Around the size of the disk, files fail while they are written or when they are closed. Errors may be kept."""
    (cell, *_) = mp.Campaign(scenario(), replications=1).cells
    file, failed = small_disk / "samples.parquet", []
    for size in range(48_000, 72_000, 1_000):
        noise = np.random.default_rng(size).standard_normal(size // 8)
        try:
            if kind == "curves":
                part = noise[: len(noise) // 7]
                trace = Trace({("cmt", "south"): PathTrace(*[part] * 6)}, {}, {("cmt", "south"): part})
                CurveStore(small_disk).save(cell, "50 ms", "engine", trace)
            else:
                frame_files.write("--frames", {file: pd.DataFrame({"x": noise})})
        except mp.UserError as error:
            failed.append(error)
        shutil.rmtree(small_disk / "curves", ignore_errors=True)
        file.unlink(missing_ok=True)
        named = [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        assert not [each for each in named if str(each).startswith(str(small_disk))]
    assert 0 < len(failed) < 24
    assert all("No space left on device" in str(error) for error in failed)


def test_an_unwritable_store_is_reported_before_the_first_run(scenario, engine, small_disk: Path):
    mp.Campaign(scenario(), replications=2).run(store=small_disk, progress=False)
    before = sum(engine.ran.values())
    assert system("mount", "-o", "remount,ro", str(small_disk)) == 0
    assert len(mp.Campaign(scenario(), replications=2).run(store=small_disk, progress=False)) == 2
    with pytest.raises(mp.UserError, match=r"cannot be written \(Read-only file system\): make room or choose another"):
        mp.Campaign(scenario(), replications=3).run(store=small_disk, progress=False)
    assert sum(engine.ran.values()) == before


def test_results_of_another_engine_are_reported_in_one_line(scenario, engine, tmp_path: Path, capsys):
    campaign = mp.Campaign(scenario(), replications=3)
    campaign.run(store=tmp_path, progress=False)
    engine.version = "2"
    campaign.run(store=tmp_path)
    assert f"{tmp_path} has 3 results of another engine (1), which are not used" in capsys.readouterr().err
    campaign.run(store=tmp_path)
    assert "another engine" not in capsys.readouterr().err


def test_results_of_the_same_engine_with_other_settings_are_not_reported(scenario, engine, tmp_path: Path, capsys):
    cells = mp.Campaign(scenario(), replications=3).cells
    for engine.version in ("1", "2-=usrsctp-7f", "2-a=usrsctp-7f"):
        compute(cells, tmp_path, progress=False)
    engine.version = "2"
    compute(cells, tmp_path)
    assert f"{tmp_path} has 3 results of another engine (1), which are not used" in capsys.readouterr().err
