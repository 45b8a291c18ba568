"""The explorer and a browser, which the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Server, explorer, lacking


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser; the test is skipped where it cannot run."""
    missing = lacking()
    if missing is not None:
        pytest.skip(missing)
    with Browser() as started:
        yield started


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An explorer."""
    folder: Path = tmp_path_factory.mktemp("explorer")
    with explorer(cwd=folder) as started:
        yield started


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    """The address of the explorer."""
    return server.address


@pytest.fixture(autouse=True)
def quiet_console(browser: Browser) -> Iterator[None]:
    """Let no test leave an error on the console of the page."""
    browser.errors()
    yield
    assert browser.errors() == []
