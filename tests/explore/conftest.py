"""The explorer and a browser, which the tests of a module share."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import Browser, Server, explorer, lacking
from tab import Log, Simulation, Tab
from writers import scenario

import manypath as mp
from manypath.explore import fair, moves
from manypath.explore.live.follower import Follower
from manypath.explore.state import State


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser; the test is skipped where it cannot run."""
    missing = lacking()
    if missing is not None:
        pytest.skip(missing)
    with Browser() as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An explorer."""
    folder: Path = tmp_path_factory.mktemp("explorer")
    with explorer(cwd=folder) as started:
        yield started


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    """The address of the explorer."""
    return server.address


@pytest.fixture(autouse=True)
def quiet_console(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no test leave an error on the console of the page."""
    if "browser" not in request.fixturenames:
        yield
        return
    browser: Browser = request.getfixturevalue("browser")
    browser.errors()
    yield
    assert browser.errors() == []


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    """Pages without a browser."""
    with Simulation() as started:
        yield started


@pytest.fixture
def tab(simulation: Simulation) -> Iterator[Tab]:
    """A tab without a browser; no page of it fails."""
    opened = Tab(simulation)
    yield opened
    opened.leave()
    assert simulation.errors == []


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a run."""
    file = tmp_path_factory.mktemp("run") / "run.jsonl"
    mp.run(scenario(), events=file)
    return file.read_text().splitlines(keepends=True)


@pytest.fixture
def follow(simulation: Simulation) -> Iterator[Log]:
    """Return a function that follows a log until the end of the test; it returns the address of its page."""
    followed: list[Path] = []

    def start(place: Path) -> str:
        simulation.followers[str(place)] = Follower(place)
        simulation.followers[str(place)].start()
        followed.append(place)
        return f"/?log={quote(str(place))}"

    yield start
    for place in followed:
        simulation.followers.pop(str(place)).close()


@pytest.fixture
def endless_shares(monkeypatch: pytest.MonkeyPatch) -> float:
    """Length of a run whose fair shares in this process end only when they are stopped, seconds."""
    length, real = 40.0, fair.fair

    def found(state: State, stop: threading.Event, progress: Callable[[float], object]) -> fair.Fair:
        if moves.duration(state.scenario) != length:
            return real(state, stop, progress)
        for part in itertools.count():
            if stop.wait(0.01):
                break
            progress(part / (part + 1000.0))
        raise moves.Cancelled

    monkeypatch.setattr(fair, "fair", found)
    return length
