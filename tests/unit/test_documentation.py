"""`manypath docs` finds the pages of the built documentation, and the server of the explorer has them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

from manypath import documentation
from manypath.cli.app import app
from manypath.errors import UserError
from manypath.explore.server import add_documentation

Site = Callable[..., Path]
"""Makes a documentation."""

PAGES = ("how-to/emulate", "how-to/papers", "reference/python/papers", "tutorials/first-scenario")


def printed(*words: str) -> str:
    done = CliRunner().invoke(app, ["docs", *words, "--print"])
    assert done.exception is None, done.exception
    return done.output.strip()


@pytest.mark.parametrize(
    "name", ["how-to/emulate", "emulate", "emulate.md", "docs/how-to/emulate.md", "how-to/emulate.html"]
)
def test_a_page_has_the_name_of_its_file_or_the_last_part_of_it(site: Site, name: str):
    folder = site(*PAGES)
    assert Path(printed(name)) == folder / "how-to/emulate.html"


@pytest.mark.parametrize("name", ["papers", "papers/index", "papers/"])
def test_a_part_of_the_site_has_the_name_of_its_folder(site: Site, name: str):
    folder = site(*PAGES, "papers/index")
    assert Path(printed(name)) == folder / "papers/index.html"


def test_without_a_name_the_home_page_is_shown(site: Site):
    folder = site(*PAGES)
    assert Path(printed()) == folder / "index.html"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("emulat", 'PAGE: "emulat" is no page: did you mean "emulate"?'),
        ("how-to/emulat", 'PAGE: "how-to/emulat" is no page: did you mean "how-to/emulate"?'),
        ("papers", 'PAGE: "papers" is several pages: write one of how-to/papers, reference/python/papers'),
        ("how-to", 'PAGE: "how-to" is a folder of pages: write one of how-to/emulate, how-to/papers'),
        ("docs/how-to/", 'PAGE: "docs/how-to/" is a folder of pages: write one of how-to/emulate, how-to/papers'),
        ("how-t", 'PAGE: "how-t" is no page: did you mean'),
        ("simulacra", 'PAGE: "simulacra" is no page: the home page, which manypath docs opens, has all pages'),
    ],
)
def test_a_wrong_name_is_refused_in_one_line(site: Site, name: str, message: str):
    site(*PAGES)
    with pytest.raises(UserError) as refused:
        documentation.page(name)
    assert str(refused.value).startswith(message)


def test_a_source_tree_without_a_built_site_names_the_command_that_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(documentation, "SITE", tmp_path / "site")
    with pytest.raises(UserError, match=r"^docs: this source tree has no built site: run `make site`, or install"):
        documentation.page("index")
    assert documentation.place("manypath.scenario.sctp.Sctp.cc") is None


def test_the_browser_opens_the_file_of_the_page(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = site(*PAGES)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path / "opened"}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    done = CliRunner().invoke(app, ["docs", "emulate"])
    assert done.output == ""
    assert (tmp_path / "opened").read_text().strip() == (folder / "how-to/emulate.html").as_uri()


def test_without_a_screen_the_path_is_printed(site: Site, monkeypatch: pytest.MonkeyPatch):
    # Other systems always have a screen.
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    folder = site(*PAGES)
    assert CliRunner().invoke(app, ["docs"]).output == f"{folder / 'index.html'}\n"


def test_names_of_the_package_have_the_places_of_the_inventory(site: Site):
    site(names=["manypath.scenario.queues.Red"])
    assert documentation.place("manypath.scenario.queues.Red") == "reference.html#manypath.scenario.queues.Red"
    assert documentation.place("manypath.scenario.queues.Blue") is None
    assert documentation.place_of_page("explanation/timeouts.md") is None


@pytest.mark.parametrize("length", [0, 40, 100])
def test_an_incomplete_inventory_is_none(length: int, site: Site):
    file = site(names=["manypath.scenario.queues.Red"]) / "objects.inv"
    file.write_bytes(file.read_bytes()[:length])
    assert documentation.place("manypath.scenario.queues.Red") is None


def status(app: Any, address: str) -> int:
    """Return the status of the answer to a request."""

    async def ask() -> int:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get(address)).status_code

    return asyncio.run(ask())


@pytest.mark.parametrize("is_built", [True, False])
def test_the_server_of_the_explorer_has_the_pages(
    is_built: bool, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    site(*PAGES)
    if not is_built:
        monkeypatch.setattr(documentation, "SITE", tmp_path / "nowhere")
    app = FastAPI(openapi_url=None)
    add_documentation(app)
    assert status(app, "/docs/how-to/emulate.html") == (200 if is_built else 404)
    assert status(app, "/docs/how-to/nothing.html") == 404
