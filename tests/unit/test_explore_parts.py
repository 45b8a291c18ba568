"""Charts of the explorer's page whose data and look change while a thread makes a picture."""

from __future__ import annotations

import asyncio
import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from manypath.explore.charts import DARK, LIGHT

parts: Any = pytest.importorskip("manypath.explore.parts", reason="the extra explore is not installed")

PATIENCE = 300.0
"""Longest time that a test waits for a thread, seconds. It bounds failures only."""


class Drawn:
    """A chart without a browser, with the pictures that were sent to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pictures: list[dict[str, Any]] = []
        self.look = parts.Look(LIGHT, narrow=False)
        client = SimpleNamespace(run_javascript=self._sent)
        element = SimpleNamespace(id=1, client=client, style=lambda _: None)
        monkeypatch.setattr(parts, "chart", lambda *_: element)
        self.chart = parts.Chart("a chart", lambda: self.look)

    def _sent(self, script: str) -> None:
        text = script.removeprefix("manypath.draw(1, ").removesuffix(")")
        self.pictures.append(json.loads(json.loads(text)))


class Slow:
    """Options of data; the first one is made until `end` is set."""

    def __init__(self, data: str) -> None:
        self._data = data
        self.begun, self.end = threading.Event(), threading.Event()

    def option(self, look: Any) -> dict[str, Any]:
        """Return the option for a look."""
        if not self.begun.is_set():
            self.begun.set()
            assert self.end.wait(PATIENCE)
        return {"data": self._data, "ink": look.theme.ink, "narrow": look.narrow, "height": 100}


async def begun(slow: Slow) -> None:
    """Wait until a thread makes the first option, while the loop goes on."""
    async with asyncio.timeout(PATIENCE):
        while not slow.begun.is_set():
            await asyncio.sleep(0.001)


def test_a_picture_with_the_old_colours_is_dropped(monkeypatch: pytest.MonkeyPatch):
    drawn, slow = Drawn(monkeypatch), Slow("run")

    async def story() -> None:
        first = asyncio.create_task(drawn.chart.show(slow.option))
        await begun(slow)
        drawn.look = parts.Look(DARK, narrow=True)
        await drawn.chart.draw()
        slow.end.set()
        await first

    asyncio.run(story())
    assert drawn.pictures == [{"data": "run", "ink": DARK.ink, "narrow": True}]


def test_a_picture_of_an_older_run_is_dropped(monkeypatch: pytest.MonkeyPatch):
    drawn, old, new = Drawn(monkeypatch), Slow("old"), Slow("new")
    new.end.set()

    async def story() -> None:
        first = asyncio.create_task(drawn.chart.show(old.option))
        await begun(old)
        await drawn.chart.show(new.option)
        old.end.set()
        await first

    asyncio.run(story())
    assert [picture["data"] for picture in drawn.pictures] == ["new"]


def test_a_cleared_chart_shows_nothing_that_was_begun(monkeypatch: pytest.MonkeyPatch):
    drawn, slow = Drawn(monkeypatch), Slow("run")

    async def story() -> None:
        first = asyncio.create_task(drawn.chart.show(slow.option))
        await begun(slow)
        drawn.chart.clear()
        slow.end.set()
        await first
        await drawn.chart.draw()

    asyncio.run(story())
    assert drawn.pictures == []


def test_a_tab_that_is_closed_before_it_answers_is_no_error(monkeypatch: pytest.MonkeyPatch):
    async def no_answer(_script: str, *, timeout: float) -> None:
        raise TimeoutError(f"no answer within {timeout} s")

    monkeypatch.setattr(parts.ui, "run_javascript", no_answer)
    assert asyncio.run(parts.asked("innerWidth")) is None
