"""Faults of the machine cause no traceback, no abort and no loss of user files, and the next call continues."""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest
from desk import SCENARIO, SWEEP, Desk
from held import GO, LOADING

import forks
from forks import WALL_SECONDS, manypath
from lists import cases

COMMAND = [sys.executable, "-m", "manypath"]
"""The command line as a separate process."""

HELD = [sys.executable, str(Path(__file__).with_name("held.py"))]
"""The same, before the word of a place where its work waits until it is interrupted."""

LONG = SCENARIO.replace('measure = "2 s"', 'measure = "100000 s"')
"""A scenario that runs for minutes."""

LONGER = re.sub('(warmup|measure) = "[12] s"', r'\1 = "0.6 s"', SWEEP.replace("replications = 2", "replications = 60"))
"""A sweep of several batches of short runs, so that it can be interrupted."""

SMALL_FILES = {resource.RLIMIT_FSIZE: 20_000}
"""A limit that makes every write beyond 20,000 bytes of a file fail, as on a full disk."""

TINY_FILES = {resource.RLIMIT_FSIZE: 1000}
"""The same limit, below the size of every result."""

Fault = Callable[[], None]
"""A fault that is set in the child before the command starts."""


def few_files() -> None:
    """Limit the number of open files."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))


def no_fault() -> None:
    """Set no fault."""


def run(
    desk: Desk, words: Sequence[str], fault: Fault = no_fault, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command with a fault or an environment that Python itself meets when it starts."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=desk.folder,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WALL_SECONDS,
        preexec_fn=fault,  # the child has one thread
        check=False,
    )


def check_error_line(done: subprocess.CompletedProcess[str], *fragments: str) -> None:
    """Check that the command exited with 1 or 2 and an error line with all fragments."""
    assert done.returncode in (1, 2), f"{done.returncode}: {done.stderr[-2000:]}"
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert any(all(fragment in line for fragment in fragments) for line in errors), done.stderr[-2000:]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.laid_out(tmp_path)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The store of a finished sweep, and the output of the sweep."""
    desk = Desk.laid_out(tmp_path_factory.mktemp("swept"))
    done = manypath(["sweep", "sweep.toml", "--csv"], desk.folder)
    assert done.returncode == 0, done.stderr
    return desk.folder / "runs", done.stdout


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of an undisturbed longer sweep."""
    desk = Desk.laid_out(tmp_path_factory.mktemp("undisturbed"))
    desk.put("longer.toml", LONGER)
    done = manypath(["sweep", "longer.toml", "--csv"], desk.folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


TARGETS: dict[str, tuple[str, dict[int, int], tuple[str, ...]]] = {
    "packets on a full disk": ("run two.toml --pcapng run.pcapng", SMALL_FILES, ("run.pcapng",)),
    "events on a full disk": ("run two.toml --events run.jsonl", SMALL_FILES, ("run.jsonl",)),
    "samples on a full disk": ("run two.toml --series 1ms --output samples", SMALL_FILES, ("samples",)),
    "a figure on a full disk": ("run two.toml --plot p.png", SMALL_FILES, ("p.png",)),
    "packets in an unwritable folder": ("run two.toml --pcapng /proc/run.pcapng", {}, ("/proc",)),
    "events in an unwritable folder": ("run two.toml --events /proc/run.jsonl", {}, ("/proc",)),
    "samples in an unwritable folder": ("run two.toml --series 1s --output /proc/s", {}, ("/proc/s",)),
    "a figure in an unwritable folder": ("sweep sweep.toml --plot /proc/p.svg", {}, ("/proc",)),
    "frames in an unwritable folder": ("sweep sweep.toml --frames /proc/f", {}, ("/proc/f",)),
    "a store in an unwritable folder": ("sweep sweep.toml --store /proc/s", {}, ("store", "/proc/s")),
    "a report in an unwritable folder": ("report dreibholz2011_impact --report /proc/r", {}, ("/proc/r",)),
    "packets on a full device": ("run two.toml --pcapng /dev/full", {}, ("/dev/full",)),
    "events on a full device": ("run two.toml --events /dev/full", {}, ("/dev/full",)),
    "a scheduler that does not answer": ("sweep sweep.toml --dask tcp://127.0.0.1:9", {}, ("dask", "127.0.0.1:9")),
    "a scenario that is a symbolic link to itself": ("run loop.toml", {}, ("loop.toml",)),
}
"""Commands, their limits, and fragments of their error lines."""


@pytest.mark.parametrize("case", TARGETS)
def test_a_failing_target_is_reported_in_one_line(case: str, desk: Desk):
    line, limits, fragments = TARGETS[case]
    (desk.folder / "loop.toml").symlink_to("loop.toml")
    check_error_line(manypath(line.split(), desk.folder, limits=limits), *fragments)
    assert desk.lost() == []


def test_a_command_with_a_limit_leaves_no_bytecode_to_others(desk: Desk):
    desk.put("own.py", "")
    for call, leaves in (("", True), (f"forks.set_limits({SMALL_FILES}); ", False)):
        script = f"import sys; sys.path.append({str(Path(forks.__file__).parent)!r}); import forks; {call}import own"
        free = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        subprocess.run([sys.executable, "-c", script], cwd=desk.folder, env=free, check=True)
        assert (desk.folder / "__pycache__").exists() == leaves
        shutil.rmtree(desk.folder / "__pycache__", ignore_errors=True)


OUTPUTS = [
    "decode empty.pcap",
    "decode one.pcap",
    "decode one.pcap --json",
    "decode empty.pcap --summary --json",
    "list",
    "run two.toml",
    "run two.toml --json",
    "sweep sweep.toml --csv",
    "schema",
    "--help",
    "--version",
]
"""Commands with output on standard output."""

FORMS = ("decode one.pcap", "run two.toml", "sweep sweep.toml --csv", "--help")
"""One of them for each form of output: bytes, text, a table, and the text of the library for commands."""


def printed_to(
    desk: Desk, line: str, output: IO[str] | int | None, fault: Fault = no_fault
) -> subprocess.CompletedProcess[str]:
    """Run a command with a given standard output."""
    return subprocess.run(
        [*COMMAND, *line.split()],
        cwd=desk.folder,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=WALL_SECONDS,
        preexec_fn=fault,  # the child has one thread
        check=False,
    )


@pytest.mark.parametrize("line", cases(OUTPUTS, long=lambda line: line not in FORMS))
def test_standard_output_on_a_full_device_is_reported_in_one_line(line: str, desk: Desk):
    with Path("/dev/full").open("w") as full:
        done = printed_to(desk, line, full)
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "error: " in done.stderr


# Standard output is closed for all forms alike, and only one start in the gate is that of a sweep.
AT_ONCE = cases(OUTPUTS, long=lambda line: line not in FORMS or line.startswith("sweep"))
"""Commands with an output. Those that load few libraries are in the gate."""


@pytest.mark.parametrize("line", AT_ONCE)
def test_a_closed_pipe_is_no_error(line: str, desk: Desk):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = printed_to(desk, line, writing)
    finally:
        os.close(writing)
    errors = [line for line in done.stderr.splitlines() if "Traceback" in line or "ignored" in line or "error" in line]
    assert not errors, done.stderr


@pytest.mark.parametrize("line", AT_ONCE)
def test_a_closed_standard_output_is_no_error(line: str, desk: Desk):
    done = printed_to(desk, line, None, lambda: os.close(1))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "error: " not in done.stderr


def test_a_closed_standard_error_is_no_error(desk: Desk):
    closed = subprocess.run(
        [*COMMAND, "run", "two.toml"],
        cwd=desk.folder,
        stdout=subprocess.PIPE,
        text=True,
        timeout=WALL_SECONDS,
        preexec_fn=lambda: os.close(2),  # the child has one thread
        check=False,
    )
    assert closed.returncode == 0
    assert "digest" in closed.stdout


def test_a_terminal_with_ascii_only_shows_numbers(desk: Desk):
    done = run(
        desk, ["sweep", "sweep.toml"], environment={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_removed_working_directory_is_reported_in_one_line(desk: Desk, tmp_path: Path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m manypath sweep {tmp_path / 'sweep.toml'}"
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, timeout=WALL_SECONDS, check=False)
    check_error_line(done, "store")


def test_too_few_open_files_are_reported_in_one_line(desk: Desk):
    done = run(desk, ["sweep", "sweep.toml"], few_files)
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    assert done.returncode in (0, 1, 2), done.stderr


def test_a_full_disk_loses_no_stored_result(swept: tuple[Path, str], desk: Desk):
    shutil.copytree(swept[0], desk.folder / "runs")
    stored = {path.name: path.read_bytes() for path in desk.folder.glob("runs/*.parquet")}
    longer = SWEEP.replace("replications = 2", "replications = 4")
    desk.put("longer.toml", longer)
    full = manypath(["sweep", "longer.toml"], desk.folder, limits=TINY_FILES)
    check_error_line(full, "store", "runs")
    assert {name: (desk.folder / "runs" / name).read_bytes() for name in stored} == stored
    assert manypath(["sweep", "longer.toml"], desk.folder).returncode == 0


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a flipped bit": damaged,
    "a truncated file": lambda path: os.truncate(path, path.stat().st_size // 2),
    "an empty file": lambda path: os.truncate(path, 0),
    "a missing file": lambda path: path.unlink(),
    "a folder in its place": lambda path: (path.unlink(), path.mkdir())[1],
}
"""Kinds of damage to a stored result."""


# A file that is too short is found like a flipped bit.
@pytest.mark.parametrize("case", cases(DAMAGES, long=lambda case: case in ("a truncated file", "an empty file")))
def test_a_damaged_result_is_computed_again(case: str, swept: tuple[Path, str], desk: Desk):
    store, first = swept
    shutil.copytree(store, desk.folder / "runs")
    assert list(desk.folder.glob("runs/*.parquet"))
    for shard in desk.folder.glob("runs/*.parquet"):
        DAMAGES[case](shard)
    again = manypath(["sweep", "sweep.toml", "--csv"], desk.folder)
    assert again.returncode == 0, again.stderr
    assert again.stdout == first


def begun(desk: Desk, line: Sequence[str], sign: Callable[[], bool]) -> subprocess.Popen[str]:
    """Start a process and return when its work has begun."""
    process = subprocess.Popen(line, cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + WALL_SECONDS
    while not sign() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    return process


# The gate has the story of kill -9 with further ones about processes (`test_rough_handling.py`).
@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_sweep_can_be_continued(number: signal.Signals, undisturbed: str, desk: Desk):
    desk.put("longer.toml", LONGER)
    store = desk.folder / "runs"
    process = begun(desk, [*HELD, "two-batches", "sweep", "longer.toml", "--csv"], lambda: len(shards_in(store)) > 1)
    process.send_signal(number)
    _, printed = process.communicate(timeout=WALL_SECONDS)
    assert process.returncode != 0
    assert "Traceback" not in printed
    stored = {path.name: path.read_bytes() for path in store.glob("*.parquet")}
    assert stored
    ended = manypath(["sweep", "longer.toml", "--csv"], desk.folder)
    assert ended.returncode == 0, ended.stderr
    assert {name: (store / name).read_bytes() for name in stored} == stored
    assert not [path for path in store.rglob("*") if ".tmp" in path.name]
    assert ended.stdout == undisturbed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_prints_one_line(number: signal.Signals, desk: Desk):
    desk.put("long.toml", LONG)
    events = desk.folder / "run.jsonl"
    process = begun(desk, [*COMMAND, "run", "long.toml", "--events", "run.jsonl", "--only", "recovery"], events.exists)
    time.sleep(0.5)
    process.send_signal(number)
    _, printed = process.communicate(timeout=WALL_SECONDS)
    assert process.returncode in (130, 143, -signal.SIGTERM), printed
    assert "Traceback" not in printed
    assert desk.lost() == []


PRUNE = """
import sys
from manypath.campaign import pruning
from manypath.cli import main
pruning.BEFORE_SECONDS = 0.5
sys.argv = ["manypath", "store", "prune", "--campaign", sys.argv[1], "--yes"]
main()
"""
"""`manypath store prune` with a limit of 0.5 s, instead of the default, for files that count as recent."""


def test_pruning_removes_no_shards_of_a_running_sweep(undisturbed: str, desk: Desk):
    desk.put("longer.toml", LONGER)
    store = desk.folder / "runs"
    line = [*HELD, "three-batches", "sweep", "longer.toml", "--csv", "--workers", "1"]
    sweep = begun(desk, line, lambda: len(shards_in(store)) > 2)
    sweep.send_signal(signal.SIGSTOP)
    # Older than the limit for recent files.
    time.sleep(1)
    seen = shards_in(store)
    (note,) = store.glob("campaigns/*.json")
    try:
        pruned = subprocess.run(
            [sys.executable, "-c", PRUNE, note.stem], cwd=desk.folder, capture_output=True, text=True, check=False
        )
    finally:
        sweep.send_signal(signal.SIGCONT)
    assert shards_in(store) >= seen
    assert pruned.returncode == 0, pruned.stderr
    assert "because a process computes in" in pruned.stderr
    assert "removes" not in pruned.stdout
    (desk.folder / GO).touch()
    out, printed = sweep.communicate(timeout=WALL_SECONDS)
    assert sweep.returncode == 0, printed
    assert out == undisturbed
    assert note.exists()
    done = manypath(["store", "show", note.stem], desk.folder)
    assert "240 of 240 runs" in done.stdout


def shards_in(store: Path) -> set[str]:
    return {path.name for path in store.glob("*.parquet")}


IMPACT = "dreibholz2011_impact --figure 5 --runs 2"
"""The figure with the least work of all papers."""

STOPPED: dict[str, tuple[str, str, str]] = {
    "papers that run": (
        f"one-batch papers {IMPACT}",
        "runs/*.parquet",
        "stored in runs: the same command continues from there",
    ),
    # Figures are drawn beside further runs, such as those for causes.
    "papers that draw": (
        f"figure papers {IMPACT} --no-causes",
        "report/figures/*/*",
        "stopped: finished results are kept",
    ),
    "a report that draws": (
        f"figure report {IMPACT} --store done",
        "report/figures/*/*",
        "stopped: finished results are kept",
    ),
    "expectations": (
        "one-batch expect --path '10 Mbit/s, 40 ms'",
        "runs/*.parquet",
        "stored in runs: the same command continues",
    ),
    "a command that is loaded": (f"library papers {IMPACT}", str(LOADING), "stopped"),
}
"""Commands with the places where they wait, the file at whose appearance they are interrupted, and their last line."""


@pytest.fixture(scope="module")
def papers_done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a finished run of a paper."""
    folder = tmp_path_factory.mktemp("papers")
    done = manypath(["papers", *IMPACT.split()], folder)
    assert done.returncode == 0, done.stderr
    return folder / "runs"


# A stopped drawing is also a story of `tests/papers/test_background.py`.
@pytest.mark.parametrize("case", cases(STOPPED, long=lambda case: "draw" in case or case == "expectations"))
def test_ctrl_c_prints_one_line_and_keeps_finished_runs(case: str, desk: Desk, request: pytest.FixtureRequest):
    line, sign, last = STOPPED[case]
    if "--store done" in line:
        (desk.folder / "done").symlink_to(request.getfixturevalue("papers_done"))
    process = begun(desk, [*HELD, *shlex.split(line)], lambda: bool(list(desk.folder.glob(sign))))
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=WALL_SECONDS)
    # During an import Python ends by the signal itself, which a shell also reports as 130.
    assert process.returncode in (130, -signal.SIGINT), printed
    assert "Traceback" not in printed
    assert last in printed.splitlines()[-1]
    assert desk.lost() == []
    assert not list(desk.folder.rglob(".*"))
    stored = list(desk.folder.glob("runs/*.parquet"))
    for figure in desk.folder.glob("report/figures/*/*"):
        assert figure.stat().st_size > 1000
    if stored:
        held = manypath(["store", "list"], desk.folder)
        assert held.returncode == 0, held.stderr
        assert "this one" in held.stdout


@pytest.mark.long
def test_two_simultaneous_sweeps_share_the_runs(desk: Desk):
    desk.put("longer.toml", LONGER)
    line = [*COMMAND, "sweep", "longer.toml", "--csv", "--workers", "1"]
    both = [begun(desk, line, lambda: True) for _ in range(2)]
    printed = [process.communicate(timeout=WALL_SECONDS) for process in both]
    assert [process.returncode for process in both] == [0, 0], printed
    assert printed[0][0] == printed[1][0]
