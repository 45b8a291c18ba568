"""Shared fixtures: a scenario with parameters, the command line in this process, and a recording engine."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

import manypath as mp
from manypath import _native, documentation

# A shell starts background processes with SIGINT ignored, and children inherit that: Ctrl-C would not stop them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The width of tables in pipes.
os.environ.pop("COLUMNS", None)

# Hypothesis uses the same examples on every machine and has no time limit.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


SLOW = (
    "test_explore_live",
    "test_explore_page",
    "test_explore_access",
    "test_explore_downloads",
    "test_explore_studies",
    "test_tab_live",
    "test_blocks",
    "test_mutations",
    "test_report",
    "test_rough_handling",
    "test_testbed_recovery",
    "test_testbed_faults",
    "test_faults",
    "test_dask",
    "test_anchors",
    "test_explore_every_control",
    "test_bench",
    "test_decode",
    "test_explore",
    "test_walks",
)
"""Modules with slow tests, the slowest and those that wait first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow modules first, so that with several workers no slow test starts last."""
    order = {name: number for number, name in enumerate(SLOW)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_collection_finish() -> None:
    """Exempt modules and tests from garbage collection, which visits all of them in each full pass."""
    gc.collect()
    gc.freeze()


MAY_BE_SKIPPED = ("systemd does not run here",)
"""Beginnings of the reasons for which the gate skips tests: containers that build have no systemd."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name each test that the gate skips without need; `pytest_sessionfinish` makes it fail."""
    for said in sorted(_skipped(terminalreporter)):
        terminalreporter.line(f"skipped in the gate: {said}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the gate fail if it skipped a test, so that a tool that is missing is noticed."""
    if session.exitstatus == 0 and _skipped(session.config.pluginmanager.get_plugin("terminalreporter")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped(terminal: Any) -> list[str]:
    """Return the places and reasons of skipped tests; none outside the gate, nor in a worker of it."""
    if "MANYPATH_GATE" not in os.environ or terminal is None:
        return []
    places = [report.longrepr for report in terminal.stats.get("skipped", [])]
    said = [(f"{file}:{line}", reason.removeprefix("Skipped: ")) for file, line, reason in places]
    return [f"{place}: {reason}" for place, reason in said if not reason.startswith(MAY_BE_SKIPPED)]


def two_paths(cc: str = "newreno", north: str = "10 Mbit/s") -> mp.Scenario:
    """Return a CMT flow on two paths and a competing flow on path south, for 3 s. [D11] section VI-B."""
    link = mp.Link(rate="5 Mbit/s", delay="1 ms", queue=mp.DropTail(packets=100))
    return mp.Scenario(
        network=mp.disjoint(south=link, north=link.but(rate=north)),
        flows={"cmt": mp.Sctp(paths=["south", "north"], cc=cc), "single": mp.Sctp(paths=["south"])},
        warmup="1 s",
        measure="2 s",
    )


@pytest.fixture
def scenario() -> Callable[..., mp.Scenario]:
    """Return the function `two_paths`."""
    return two_paths


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that gives the package a documentation with some pages and explained names."""

    def write(*pages: str, names: Iterable[str] = ()) -> Path:
        folder = tmp_path / "site"
        for page in ("index", *pages):
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{page}.html").write_text(f"<h1>{page}</h1>")
        head = "# Sphinx inventory version 2\n# Project: manypath\n# Version: 0\n# zlib\n"
        entries = "".join(f"{name} py:class 1 reference.html#$ -\n" for name in names)
        (folder / "objects.inv").write_bytes(head.encode() + zlib.compress(entries.encode()))
        monkeypatch.setattr(documentation, "SITE", folder)
        return folder

    return write


def shortened_run(scenario: mp.Scenario) -> mp.Scenario:
    """Return a scenario with a run until 2 s after the last start, without changes of links."""
    end = 2 + max(flow.start.latest / 1e9 for flow in scenario.flows.values())
    links = {name: link.but(events=()) if link.events else link for name, link in scenario.network.links.items()}
    network = scenario.network.but(links=links)
    return scenario.but(network=network, warmup="0 s", measure=f"{end:.3f} s")


@pytest.fixture
def shortened() -> Callable[[mp.Scenario], mp.Scenario]:
    """Return the function `shortened_run`."""
    return shortened_run


TWO_PATHS = """
warmup = "1 s"
measure = "2 s"
[network.disjoint]
south = { rate = "5 Mbit/s", delay = "1 ms" }
north = { rate = "10 Mbit/s", delay = "1 ms" }
[flows.cmt]
paths = ["south", "north"]
[flows.single]
paths = ["south"]
"""
"""`two_paths` as a scenario file."""


@pytest.fixture
def two_paths_file(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes `TWO_PATHS` with replaced texts: `two_paths_file("mine.toml", {"10": "5"})`."""

    def write(name: str, changes: dict[str, str] | None = None) -> Path:
        text = TWO_PATHS
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


class Printed(NamedTuple):
    """The output of a command."""

    out: str
    err: str


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Printed]:
    """Return a function that runs a command in this process: `called("run", "mine.toml", code=0)`."""
    from manypath.cli import main

    def run(*arguments: str, code: int = 0) -> Printed:
        monkeypatch.setattr(sys, "argv", ["manypath", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        printed = Printed(str(out), str(err))
        assert (ended.value.code or 0) == code, printed.err
        return printed

    return run


@pytest.fixture(scope="session")
def small_files() -> dict[str, bytes]:
    """A figure with one curve in every format."""
    from matplotlib.figure import Figure

    from manypath.figures.picture import FORMATS, Picture

    figure = Figure()
    figure.subplots().plot([0.0, 1.0])
    picture = Picture(figure)
    return {ending: picture._bytes(ending) for ending in FORMATS}


@pytest.fixture
def undrawn(small_files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the same small figure for each figure, for tests of everything else: drawing takes most of their time."""
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from manypath.figures.picture import Picture

    monkeypatch.setattr(Picture, "_bytes", lambda _picture, ending, *_: small_files[ending])
    monkeypatch.setattr(Figure, "get_tightbbox", lambda *_: Bbox.unit())


class WatchedEngine:
    """Fake engine for tests of the order and number of runs."""

    def __init__(self) -> None:
        self.version = "1"
        self.ran: Counter[tuple[str, int, int]] = Counter()
        self.batches: list[int] = []
        self.after_batch: Callable[[], None] = lambda: None
        self.failing: set[int] = set()
        """Replications that fail."""
        self.note = ""
        """Additional field of every outcome."""
        self._one_at_a_time = threading.Lock()

    def run_batch(
        self, documents: list[str], jobs: list[tuple[int, int, int]], _stop: _native.Stop | None = None
    ) -> list[str | _native.RunError]:
        """Record every job; the goodput identifies the replication."""
        if not jobs:
            return []
        with self._one_at_a_time:
            return self._run(documents, jobs)

    def _run(self, documents: list[str], jobs: list[tuple[int, int, int]]) -> list[str | _native.RunError]:
        self.batches.append(len(jobs))
        outcomes: list[str | _native.RunError] = []
        for index, seed, replication in jobs:
            if replication in self.failing:
                outcomes.append(_native.RunError(f"seed {seed}, replication {replication}: 5 packets are missing"))
                continue
            self.ran[documents[index], seed, replication] += 1
            flows = {
                name: {"goodput": 1e6 * (replication + 1), "paths": {}, "streams": []}
                for name in json.loads(documents[index])["flows"]
            }
            outcomes.append(
                json.dumps({"flows": flows, "links": {}, "digest": f"{replication:016x}", "note": self.note})
            )
        self.after_batch()
        return outcomes


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> WatchedEngine:
    """An engine that records its jobs."""
    watched = WatchedEngine()
    monkeypatch.setattr(_native, "run_batch", watched.run_batch)
    monkeypatch.setattr(_native, "engine_version", lambda: watched.version)
    return watched
