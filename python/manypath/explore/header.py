"""The head of the page: the state of its runs, their progress, and the buttons of the whole page."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from nicegui import ui

from manypath.explore.copies import Copies

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Actions(NamedTuple):
    """What the buttons of the head do, beside those of *Take along*."""

    stop: Callable[[], None]
    run: Callable[[], Awaitable[None]]
    show_settings: Callable[[bool], None]
    """Show the settings in a window with one column (True), or hide them."""
    switch_colours: Callable[[], Awaitable[None]]


class Header:
    """The head of one page."""

    def __init__(self, page: Page, actions: Actions) -> None:
        self.share = 0.0
        """Finished share of the runs."""
        self._bar_at = math.inf
        """When the progress of the runs is shown, unless they have ended."""
        self._actions = actions
        self._has_settings = False
        with ui.element("header").classes("x-head"):
            ui.html("<h1>manypath <span>explore</span></h1>", sanitize=False)
            self._status = ui.label("").classes("x-status").props('role="status" aria-live="polite"')
            self._bar = ui.linear_progress(0.0, show_value=False, size="3px").classes("x-bar").props("instant-feedback")
            self._halt = ui.button("Stop", icon="stop", on_click=actions.stop)
            self._again = ui.button("Run again", icon="replay", on_click=actions.run)
            self._settings = ui.button("Settings", icon="tune", on_click=self._open_or_close)
            for button, name in ((self._halt, "x-late"), (self._again, "x-late"), (self._settings, "x-settings")):
                button.classes(name).props("flat dense no-caps")
            self._settings.props('aria-expanded="false"')
            self._bar.visible = self._halt.visible = self._again.visible = False
            self.copies = Copies(page)
            ui.button(icon="contrast", on_click=actions.switch_colours).props(
                'flat dense round aria-label="Switch between light and dark"'
            )

    def say(self, text: str) -> None:
        """Show the state of the runs in words."""
        self._status.text = text

    def expect(self, patience: float) -> None:
        """Show the progress of runs that have begun, unless they end within some seconds."""
        self.share, self._bar_at = 0.0, time.monotonic() + patience
        self._again.visible = False

    def rest(self, *, is_stopped: bool) -> None:
        """Show no progress. Stopped runs can be started again."""
        self._bar_at = math.inf
        self._again.visible = is_stopped

    def tell(self) -> None:
        """Show the progress of runs that take long."""
        is_long = time.monotonic() > self._bar_at
        if is_long != self._bar.visible:
            self._bar.visible = self._halt.visible = is_long
        if is_long:
            self._bar.value = self.share

    def _open_or_close(self) -> None:
        """Show or hide the settings."""
        self._has_settings = not self._has_settings
        self._actions.show_settings(self._has_settings)
        self._settings.props(f'aria-expanded="{str(self._has_settings).lower()}"')
