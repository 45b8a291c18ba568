"""Parts that pages are made of: cards, headings and charts."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import orjson
from nicegui import run as background
from nicegui import ui

from manypath.explore.charts import Option, Theme
from manypath.explore.goals import Goal


def card(name: str) -> ui.element:
    """Begin a section with a frame."""
    return ui.element("section").classes("x-card").props(f'id="{name}"')


def heading(text: str) -> None:
    """Add the heading of a section."""
    ui.html(f"<h2>{html.escape(text)}</h2>", sanitize=False)


def light(goal: Goal) -> str:
    """Return one indicator: a colour, a symbol and a word."""
    kind, sign = {"holds": ("holds", "✓"), "does not hold": ("not", "✗"), "does not apply": ("", "–")}[goal.light]
    return (
        f'<div class="x-light {kind}"><b>{html.escape(goal.name)}</b><br>'
        f'<span class="x-word">{sign} {goal.light}</span>'
        f'<p>{html.escape(goal.numbers)}</p><p class="x-why">{html.escape(goal.rule)}</p></div>'
    )


def chart(name: str, height: int = 0) -> ui.echart:
    """Add a chart with a name for screen readers."""
    return ui.echart({}).style(f"width: 100%; height: {height}px").props(f'role="img" aria-label="{name}"')


class Written(NamedTuple):
    """The option of a chart as an argument of a script, and the height of the chart in pixels.

    The option goes to the browser as a text. As a property of the element it would be observed deeply there, which
    takes longer than drawing, and the server would keep it.
    """

    text: str
    height: int


def written(option: Option) -> Written:
    """Return an option with its height as a text. For threads, because large options take some milliseconds."""
    height = int(option.pop("height"))
    return Written(orjson.dumps(orjson.dumps(option).decode()).decode(), height)


class Look(NamedTuple):
    """What a picture depends on beside its data: the colours, and whether the window is narrow."""

    theme: Theme
    narrow: bool


class Chart:
    """A chart whose options are made in threads, so that the server answers other tabs meanwhile.

    Data and look can change while an option is made. The last picture has the newest of both.
    """

    def __init__(self, name: str, look: Callable[[], Look], height: int = 0) -> None:
        self._element = chart(name, height)
        self._look = look
        self._option: Callable[[Look], Option] | None = None
        self._newest = 0
        """Number of the newest picture that was asked for."""

    async def show(self, option: Callable[[Look], Option]) -> None:
        """Draw other data; `option` returns the option for a look."""
        self._option = option
        await self.draw()

    async def draw(self) -> None:
        """Draw the data with the look of the page."""
        option, look = self._option, self._look()
        if option is None:
            return
        self._newest += 1
        number = self._newest
        found = await background.io_bound(lambda: written(option(look)))
        if found is not None and number == self._newest:
            self._element.style(f"height: {found.height}px")
            self._element.client.run_javascript(f"manypath.draw({self._element.id}, {found.text})")

    def clear(self) -> None:
        """Show nothing."""
        self._option = None
        self._newest += 1
        self._element.style("height: 0")


async def asked(expression: str) -> Any:
    """Return the value of an expression in the browser; None if the browser does not answer, as after a closed tab."""
    try:
        return await ui.run_javascript(f"return {expression}", timeout=PATIENCE)
    except TimeoutError:
        return None


def watch_width(most: int, turned: Callable[[bool], Awaitable[None] | None]) -> None:
    """Tell whenever the window becomes narrower than `most` pixels (True), or as wide (False)."""
    event = f"explore-narrower-than-{most}"
    ui.on(event, lambda event: turned(bool(event.args)))
    ui.run_javascript(
        f"matchMedia('(max-width: {most - 1}px)').addEventListener('change', "
        f"event => emitEvent('{event}', event.matches))"
    )


def watch_end(gone: Callable[[], None]) -> None:
    """Tell when the tab is closed or leaves the page, unless its last message is lost."""
    ui.on(GONE, gone)
    ui.run_javascript(f"addEventListener('pagehide', () => emitEvent('{GONE}'))")


PREFERENCES = "[matchMedia('(prefers-color-scheme: dark)').matches, innerWidth]"
"""Expression for `asked`: whether the user prefers dark colours, and the width of the window in pixels."""

PATIENCE = 60.0
"""Time that a browser has for an answer, seconds. On a busy machine it answers late."""

DOCUMENTATION = "/docs"
"""Address of the documentation on the server of the page."""

GONE = "explore-gone"
"""Event of the page: the tab leaves it."""
