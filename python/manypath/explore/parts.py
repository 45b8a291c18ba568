"""Parts that pages are made of: cards, headings and charts."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

from nicegui import ui

from manypath.explore.charts import Option


def card(name: str) -> ui.element:
    """Begin a section with a frame."""
    return ui.element("section").classes("x-card").props(f'id="{name}"')


def heading(text: str) -> None:
    """Add the heading of a section."""
    ui.html(f"<h2>{html.escape(text)}</h2>", sanitize=False)


def chart(name: str, height: int = 0) -> ui.echart:
    """Add a chart with a name for screen readers. Its height in pixels follows its option."""
    return ui.echart({}).style(f"width: 100%; height: {height}px").props(f'role="img" aria-label="{name}"')


def draw(chart: ui.echart, option: Option) -> None:
    """Replace the content of a chart, and its height if the option has one.

    The option goes to the browser as a text. As a property of the element it would be observed deeply there, which
    takes longer than drawing, and the server would keep it.
    """
    chart.client.run_javascript(f"manypath.draw({chart.id}, {sized(chart, option)})")


def watch_width(most: int, turned: Callable[[bool], None]) -> None:
    """Tell whenever the window becomes narrower than `most` pixels (True), or as wide (False)."""
    ui.on(NARROWER, lambda event: turned(bool(event.args)))
    ui.run_javascript(
        f"matchMedia('(max-width: {most - 1}px)').addEventListener('change', "
        f"event => emitEvent('{NARROWER}', event.matches))"
    )


def watch_end(gone: Callable[[], None]) -> None:
    """Tell when the tab is closed or leaves the page, unless its last message is lost."""
    ui.on(GONE, gone)
    ui.run_javascript(f"addEventListener('pagehide', () => emitEvent('{GONE}'))")


def sized(chart: ui.echart, option: Option) -> str:
    """Set the height of a chart if its option has one; return the option as a text for a script."""
    height = option.pop("height", None)
    if height is not None:
        chart.style(f"height: {height}px")
    return json.dumps(json.dumps(option))


NARROWER = "explore-narrower"
"""Event of the page: whether the window is narrow."""

GONE = "explore-gone"
"""Event of the page: the tab leaves it."""
