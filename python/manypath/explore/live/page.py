"""The page of a log in one tab: the plots, the time that they show, and the current numbers."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import NamedTuple

from nicegui import run as background
from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from manypath.explore.charts import DARK, LIGHT, Theme
from manypath.explore.live import plots, tables
from manypath.explore.live.follower import Follower, Phase
from manypath.explore.live.plots import View
from manypath.explore.look import CSS, SCRIPT
from manypath.explore.parts import PREFERENCES, Look, Written, asked, card, chart, heading, watch_width, written


class _Wanted(NamedTuple):
    """What the plots show. They are drawn again when it changes."""

    version: int
    """Version of the log; 0 while the page is paused."""
    stopped_at: float | None
    flow: str
    span: float
    look: Look


class LivePage:
    """The page of one tab. Tabs share the log, and each has its own flow, time and pause."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._theme: Theme = LIGHT
        self._narrow = False
        self._flow = ""
        self._span = 0.0
        """Length of the sliding window, seconds; 0 shows the whole log."""
        self._stopped_at: float | None = None
        """End of the time that is shown while the page is paused."""
        self._drawn: _Wanted | None = None
        self._earliest = 0.0
        """Time before which nothing is drawn, because the browser shows another tab."""
        self._phase: Phase | None = None

    async def show(self) -> None:
        """Build the page and follow the log."""
        self._build()
        await ui.context.client.connected()
        preferences = await asked(PREFERENCES)
        if preferences is None:
            return
        dark, width = preferences
        self._narrow = width < NARROW
        self._set_dark(dark)
        watch_width(NARROW, self._turned)
        ui.timer(INTERVAL, self._draw)
        ui.timer(1.0, self._tell)

    def _build(self) -> None:
        ui.add_css(CSS + STYLE)
        ui.add_head_html(f"<script>{SCRIPT}{FOLLOW}</script>")
        self._dark = ui.dark_mode(None)
        ui.html('<a class="x-skip" href="#picture">Skip to the picture</a>', sanitize=False)
        with ui.element("header").classes("x-head"):
            ui.html("<h1>manypath explore</h1>", sanitize=False)
            self._status = ui.label("").classes("x-status")
            # Screen readers read changes of the state, but not every number.
            self._said = ui.label("").classes("x-said").props('role="status" aria-live="polite"')
            ui.button(icon="contrast", on_click=lambda: self._set_dark(self._theme is LIGHT)).props(
                'flat dense round aria-label="Switch between light and dark"'
            )
        with ui.element("main").classes("x-live"):
            with card("picture"):
                self._build_controls()
                self._empty = ui.label("").classes("x-note")
                self._chart = chart("Windows, round-trip times and goodput over time")
                self._missing = ui.label("").classes("x-note x-missing")
            with card("numbers"):
                heading("Now")
                self._state = ui.label("").classes("x-note")
                self._paths = ui.html("", sanitize=False).classes("x-scroll")
                self._links = ui.html("", sanitize=False).classes("x-scroll")
                self._remarks = ui.html("", sanitize=False).classes("x-note")

    def _build_controls(self) -> None:
        with ui.element("div").classes("x-row"):
            self._choice = ui.select({}, label="Flow", on_change=self._choose)
            self._choice.props("dense outlined options-dense").classes("x-flow")
            spans = ui.select(SPANS, value=0.0, label="Time", on_change=lambda event: self._slide(event.value))
            spans.props("dense outlined options-dense").classes("x-span")
            self._pause = ui.button("Pause", icon="pause", on_click=self._stop_or_go)
            self._pause.props('outline no-caps aria-pressed="false"')

    def _choose(self, event: ValueChangeEventArguments) -> Awaitable[None]:
        # At once: `_tell` may go on before a task that begins now, and would set the flow that was shown before.
        self._flow = event.value or ""
        return self._tell()

    def _slide(self, span: float) -> None:
        self._span = span

    async def _stop_or_go(self) -> None:
        """Pause or continue the plots. The log is read during the pause."""
        self._stopped_at = self._follower.state().end if self._stopped_at is None else None
        is_paused = self._stopped_at is not None
        self._pause.set_text("Continue" if is_paused else "Pause")
        self._pause.props(f'icon="{"play_arrow" if is_paused else "pause"}" aria-pressed="{str(is_paused).lower()}"')
        await self._tell()

    def _set_dark(self, dark: bool) -> None:
        self._dark.value = dark
        self._theme = DARK if dark else LIGHT

    def _turned(self, narrow: bool) -> None:
        """Draw for another width of the window."""
        self._narrow = narrow

    async def _draw(self) -> None:
        """Draw the part of the log that was read, if it has changed since the last drawing."""
        version = self._follower.state().version if self._stopped_at is None else 0
        wanted = _Wanted(version, self._stopped_at, self._flow, self._span, Look(self._theme, self._narrow))
        if wanted == self._drawn or time.monotonic() < self._earliest:
            return
        found = await background.io_bound(_picture, self._follower, wanted)
        if found is None:
            self._chart.style("height: 0")
        elif not await self._put(found):
            self._earliest = time.monotonic() + HIDDEN
            return
        self._drawn = wanted

    async def _put(self, picture: Written) -> bool:
        """Send a chart to the browser and wait until it is drawn; return whether it was drawn.

        A slow browser gets fewer pictures, and a hidden tab gets none.
        """
        self._chart.style(f"height: {picture.height}px")
        script = f"return manypath.follow({self._chart.id}, {picture.text})"
        try:
            return await ui.run_javascript(script, timeout=PATIENCE) is True
        except TimeoutError:
            return False

    async def _tell(self) -> None:
        """Show the current numbers, and the state of the source."""
        flow, is_paused = self._flow, self._stopped_at is not None
        now = await background.io_bound(_now, self._follower, flow, is_paused=is_paused)
        if now is None or flow != self._flow:
            return
        self._status.text, self._empty.text, self._missing.text = now.status, now.empty, now.missing
        self._state.text = now.state
        self._paths.set_content(now.paths)
        self._links.set_content(now.links)
        self._remarks.set_content(now.remarks)
        self._choice.visible = bool(now.names)
        if now.names != self._choice.options:
            self._choice.set_options(now.names, value=now.flow)
        if now.phase is not self._phase:
            self._phase = now.phase
            self._said.text = f"{self._follower.name}: {now.phase.value}"


def _picture(follower: Follower, wanted: _Wanted) -> Written | None:
    """Return the chart of the part of the log that was read; None if there is nothing to draw."""
    with follower.log() as log:
        if not log.events:
            return None
        end = log.end if wanted.stopped_at is None else min(wanted.stopped_at, log.end)
        begin = max(end - wanted.span, 0.0) if wanted.span else min(log.begin, end)
        view = View(wanted.flow, begin, max(end, begin + SHORTEST))
        option = plots.picture(log, view, wanted.look.theme, narrow=wanted.look.narrow)
        spoken = tables.spoken(plots.chosen(log, wanted.flow), log)
    return None if option is None else written({**option, "aria": {"enabled": True, "description": spoken}})


class _Now(NamedTuple):
    """The current numbers as texts."""

    phase: Phase
    status: str
    empty: str
    missing: str
    state: str
    paths: str
    links: str
    remarks: str
    names: dict[str, str]
    """The flows that can be chosen, with their names on the page."""
    flow: str | None
    """The flow that is shown."""


def _now(follower: Follower, chosen: str, *, is_paused: bool) -> _Now:
    state, name = follower.state(), follower.name
    with follower.log() as log:
        flow = plots.chosen(log, chosen)
        return _Now(
            phase=state.phase,
            status=tables.status(log, state, name, is_paused=is_paused),
            empty=tables.empty(log, state, name),
            missing=plots.missing(log),
            state=tables.said_of(flow) if flow is not None else "",
            paths=tables.path_table(flow, log.end) if flow is not None else "",
            links=tables.link_table(log),
            remarks=tables.paragraphs(tables.remarks(log, state)),
            names={each.name: f"{each.name} (closed)" if each.closed else each.name for each in log.listed()},
            flow=None if flow is None else flow.name,
        )


SPANS = {0.0: "the whole log", 10.0: "last 10 s", 30.0: "last 30 s", 60.0: "last 60 s"}
"""Times that a tab can show, by their length in seconds."""

INTERVAL = 0.125
"""Interval between two pictures, seconds."""

HIDDEN = 1.0
"""Time after which a tab that was hidden is tried again, seconds."""

PATIENCE = 5.0
"""Time that a browser has for a picture, seconds."""

SHORTEST = 0.1
"""Shortest time that is shown, seconds."""

NARROW = 700
"""Width of a window below which the legends are below the titles of plots, pixels."""

FOLLOW = """
manypath.follow = async function (id, text) {
  if (document.hidden) return false;
  this.draw(id, text);
  await new Promise(requestAnimationFrame);
  return true;
};
"""
"""Draws a chart and answers when the browser has shown it. A hidden tab draws nothing."""

STYLE = """
.x-live { display: block; width: 100%; max-width: 1400px; margin: 0 auto; padding: 16px 20px; }
.x-flow { flex: 1 1 260px; min-width: 0; } .x-span { flex: 0 1 170px; }
.x-said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.x-missing { max-width: 90ch; }
@media (max-width: 1000px) { .x-live { padding: 10px; } }
"""
"""The style of the parts that only this page has."""
