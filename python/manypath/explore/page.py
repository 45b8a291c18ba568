"""One page in one tab: its state, its runs, and the parts that show them."""

from __future__ import annotations

import asyncio
import html
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from nicegui import run as background
from nicegui import ui

from manypath import _native
from manypath.errors import UserError
from manypath.explore import charts, fair, moves, numbers
from manypath.explore.charts import DARK, LIGHT, Theme
from manypath.explore.controls import changed, controls
from manypath.explore.files import DRAWING
from manypath.explore.goals import goals
from manypath.explore.header import Actions, Header
from manypath.explore.kept import KEPT, new_key
from manypath.explore.look import CSS, SCRIPT
from manypath.explore.moves import Answer, Cancelled
from manypath.explore.panel import Panel
from manypath.explore.parts import PREFERENCES, Chart, Look, asked, card, heading, light, watch_end, watch_width
from manypath.explore.state import State
from manypath.explore.studies import Compare, Sweep
from manypath.figures.topology import topology

if TYPE_CHECKING:
    from manypath.scenario import Network


class _Tables(NamedTuple):
    """The tables of a run, or of its start."""

    paths: str
    events: str


class Page:
    """The page of one tab. Tabs share only the program."""

    def __init__(self, first: State) -> None:
        self._client = ui.context.client
        self._key = new_key()
        self.state = first
        self.controls = controls(first)
        """The controls of the state."""
        self._theme: Theme = LIGHT
        self.narrow = False
        """Whether the window has little space beside the titles of plots."""
        self.has_sheet = False
        """Whether the controls are in a sheet above the lower half of the page, instead of beside the pictures."""
        self.move = 0
        """Number of the last change of a control."""
        self.answer: Answer | None = None
        """The finished run of the state; None while it runs, and if it failed or was stopped."""
        self.is_running = False
        """Whether the run of the state continues."""
        self._is_busy = False
        """Whether the run of the state or further ones continue."""
        self._is_stopped = False
        """Whether the run of the state or one of its fair shares was stopped."""
        self._stop = threading.Event()
        self._network: Network | None = None
        """The network that is drawn."""
        self._began = 0.0

    async def show(self, packed: str, kept: str) -> None:
        """Build the page; the text of a link, or the key of a kept state, restores its state."""
        refused = ""
        try:
            if packed:
                self.state = await background.io_bound(State.unpacked, packed) or self.state
            elif kept:
                self.state = KEPT.find(kept)
            self.controls = controls(self.state)
        except UserError as error:
            refused = str(error)
        self._build()
        self._client.on_delete(self._gone)
        await self._client.connected()
        preferences = await asked(PREFERENCES)
        if preferences is None:
            return
        dark, width = preferences
        self.narrow, self.has_sheet = width < NARROW, width < ONE_COLUMN
        if self.has_sheet:
            # The list of all groups then fits into the lower half of the window.
            ui.run_javascript("document.querySelectorAll('details.x-group').forEach(group => group.open = false)")
        self._set_dark(dark)
        if refused:
            ui.notify(refused, type="negative", timeout=0, close_button=True)
        ui.timer(0.2, self._header.tell)
        watch_width(NARROW, self._turned)
        watch_width(ONE_COLUMN, self._set_sheet)
        watch_end(self._gone)
        await self._run()
        if self.state.sweep:
            await self.sweep.start()

    async def set(self, place: str, value: Any) -> str:
        """Change one setting and run; return the message if the value is refused."""
        try:
            state = changed(self.state, place, value)
        except UserError as error:
            return str(error).splitlines()[0]
        await self.go(state)
        return ""

    async def go(self, state: State) -> None:
        """Show another state."""
        self.sweep.halt("The settings have changed since this sweep.")
        self.state, self.controls = state, controls(state)
        # A change of the controls may remove the control whose event this is, so the client is the context.
        with self._client:
            self.panel.refresh()
            self.sweep.refresh()
            await self._run()

    def look(self) -> Look:
        """Return the colours of the page, and whether its window is narrow."""
        return Look(self._theme, self.narrow)

    def share(self) -> float:
        """Return the finished share of the runs."""
        return self._header.share

    def save_link(self) -> None:
        """Write the state, or the key of a large one, into the address of the browser, so that a reload restores it."""
        link = self.state.link() or KEPT.keep(self._key, self.state)
        self._client.run_javascript(f"history.replaceState(null, '', '{link}')")

    def _build(self) -> None:
        ui.add_css(CSS)
        ui.add_head_html(f"<script>{SCRIPT}</script>")
        self._dark = ui.dark_mode(None)
        ui.html('<a class="x-skip" href="#picture">Skip to the picture</a>', sanitize=False)
        self._header = Header(self, Actions(self._stop_runs, self._run, self._show_settings, self._toggle))
        with ui.element("div").classes("x-main") as self._main:
            with ui.element("nav").classes("x-side").props('aria-label="Settings"'):
                self.panel = Panel(self)
            self._build_pictures()

    def _build_pictures(self) -> None:
        with ui.element("div").classes("x-first"), card("picture"):
            heading("What happens over time")
            self._course = Chart("Windows, queues and goodput over time", self.look, height=760)
            self._numbers = ui.html("", sanitize=False).classes("x-scroll")
            with ui.element("details").classes("x-events"):
                with ui.element("summary"):
                    ui.label("Losses, timeouts and retransmissions by their reason")
                self._events = ui.html("", sanitize=False).classes("x-scroll")
        with ui.element("div").classes("x-rest") as self._rest:
            with card("goals"):
                heading("Resource pooling: the three goals")
                self._lights = ui.html("", sanitize=False).classes("x-lights")
            with ui.element("div").classes("x-two"):
                with card("shares"):
                    heading("Shares against the fair ones")
                    self._shares = Chart("Goodput and fair shares of each flow", self.look, height=250)
                    self._remark = ui.label("").classes("x-note")
                with card("network"):
                    heading("Network")
                    self._drawing = ui.html("", sanitize=False).classes("x-net").style("width: 100%")
                    self._flows = ui.label("").classes("x-note")
            self.compare = Compare(self)
            self.sweep = Sweep(self)

    async def _run(self) -> None:
        """Run the state; a later move cancels it."""
        self.move += 1
        stop, move, state = self._begin(PAUSE), self.move, self.state
        self._began = time.monotonic()
        self.answer, self.is_running, self._is_stopped = None, True, False
        self.save_link()
        parts = moves.answers(state.scenario, state.seed, stop, self._progress(move))
        answer = None
        try:
            while True:
                found = await background.io_bound(next, parts, None)
                if found is None or move != self.move:
                    break
                answer = found
                await self._course.show(partial(_course, answer))
                # The picture is sent while a thread makes the tables. At each change of an element the browser renders
                # the whole page, which would delay the picture.
                tables = await background.io_bound(_tables, answer)
                if tables is None or move != self.move:
                    break
                self._show_numbers(answer, tables, move)
                if answer.is_partial:
                    self._shares.clear()
                    self._clear_fair("They follow after this run and further ones.")
                    await self._draw_network(state, move)
            if answer is None or move != self.move:
                return
            self.answer, self.is_running = answer, False
            self._header.expect(LATE)
            await asyncio.sleep(PAUSE)
            await self._draw_the_rest(state, answer, stop, move)
        except Cancelled:
            if move == self.move:
                self._say_stopped(answer, move)
        except (UserError, _native.RunError) as error:
            if move == self.move:
                self._shares.clear()
                self._clear_fair("They need a run that does not fail.")
                self._header.say(f"error: the run failed: {str(error).splitlines()[0]}")
                await self._draw_network(state, move)
        finally:
            if move == self.move:
                self._is_stopped = stop.is_set()
            self._end(move)

    async def compare_chosen(self) -> None:
        """Run the chosen congestion controls that have not run yet. A run that continues includes them at its end."""
        if self._is_busy or not self.compare.missing():
            return
        stop, move = self._begin(LATE), self.move
        try:
            await self.compare.update(stop, self._progress(move, len(self.compare.missing())))
        finally:
            self._end(move)

    def _begin(self, patience: float) -> threading.Event:
        """Begin runs, whose progress is shown after some seconds; they end earlier ones. Return what stops them."""
        self._stop_runs()
        self._stop = threading.Event()
        self._is_busy = True
        self._header.expect(patience)
        self._rest.props('aria-busy="true"')
        return self._stop

    def _end(self, move: int) -> None:
        """End the runs of a move, unless a later one has begun."""
        if move == self.move:
            self.is_running = self._is_busy = False
            self._header.rest(is_stopped=self._stop.is_set() or self._is_stopped)
            self._rest.props('aria-busy="false"')

    def _say_stopped(self, answer: Answer | None, move: int) -> None:
        """Say which part of a stopped run is shown, or why nothing follows a finished one."""
        if answer is None:
            self._header.say(f"move {move}: stopped before a part of the run was shown")
            return
        if answer.is_partial:
            self._clear_fair("They need a run that is not stopped.")
            self._header.say(f"move {move}: stopped, the start of the run is shown")
        else:
            self._clear_fair("They need further runs, which were stopped.")

    def _clear_fair(self, why: str) -> None:
        """Remove the fair shares, the goals and the comparison of an earlier state, and show why they are missing."""
        self._lights.set_content(f'<p class="x-note">{html.escape(why)}</p>')
        self._remark.text = why
        self.compare.clear(why)

    async def _draw_network(self, state: State, move: int) -> None:
        """Draw the network of a state and name its flows."""
        if state.scenario.network != self._network:
            drawn = await background.io_bound(_drawing, state.scenario.network)
            if move != self.move or drawn is None:
                return
            self._network = state.scenario.network
            self._drawing.set_content(drawn)
        self._flows.text = numbers.flows(state)

    async def _draw_the_rest(self, state: State, answer: Answer, stop: threading.Event, move: int) -> None:
        """Draw the shares and the network, then the parts that need further runs: fair shares, goals, comparison."""
        await self._shares.show(partial(_shares, state, answer, None))
        await self._draw_network(state, move)
        fair_runs = fair.runs(state)
        progress = self._progress(move, fair_runs + len(state.compare))
        found = await background.io_bound(_fair, state, answer, stop, progress)
        if move != self.move or found is None:
            return
        shares, lights = found
        self._lights.set_content(lights)
        remarks = {"Fluid equilibrium": shares.fluid_remark, "Resource pooling": shares.pooling_remark}
        self._remark.text = " ".join(f"{name}: {remark}." for name, remark in remarks.items() if remark)
        await self._shares.show(partial(_shares, state, answer, shares))
        if move == self.move:
            await self.compare.update(stop, moves.after(fair_runs, progress))

    def _show_numbers(self, answer: Answer, tables: _Tables, move: int) -> None:
        """Show the status and the numbers of a run that is drawn."""
        self._numbers.set_content(tables.paths)
        self._events.set_content(tables.events)
        spent = 1e3 * (time.monotonic() - self._began)
        seconds = moves.duration(answer.scenario)
        if answer.is_partial:
            self._header.say(f"move {move}: the first {round(seconds, 1):.10g} s of {answer.whole:.10g} s")
        else:
            self._header.say(
                f"move {move}: {seconds:.10g} s of network in {spent:.0f} ms · digest {answer.result.digest}"
            )

    def _progress(self, move: int, runs: int = 1) -> Callable[[float], None]:
        """Return what receives the number of finished ones among some runs of the same length.

        More can be chosen for the comparison meanwhile.
        """

        def tell(finished: float) -> None:
            if move == self.move:
                self._header.share = min(finished / max(runs, 1), 1.0)

        return tell

    def _gone(self) -> None:
        """Stop all runs without waiting until the server forgets the tab."""
        self._stop_runs()
        self.sweep.stop()
        self._header.copies.forget()

    def _stop_runs(self) -> None:
        """Stop the runs. The page keeps the part that it shows."""
        self._stop.set()

    def _show_settings(self, is_shown: bool) -> None:
        """Open or close the sheet with the controls."""
        self._main.classes(**{"add" if is_shown else "remove": "x-open"})

    def _set_sheet(self, has_sheet: bool) -> None:
        self.has_sheet = has_sheet

    def _set_dark(self, dark: bool) -> None:
        self._dark.value = dark
        self._theme = DARK if dark else LIGHT

    async def _toggle(self) -> None:
        """Switch between light and dark."""
        self._set_dark(self._theme is LIGHT)
        await self._redraw()

    async def _turned(self, narrow: bool) -> None:
        """Draw for the new width of the window, such as that of a phone that was turned."""
        self.narrow = narrow
        await self._redraw()

    async def _redraw(self) -> None:
        """Draw everything again, with the colours and the width of the page, and without another run."""
        for chart in (self._course, self._shares, self.compare.chart, self.sweep.chart):
            await chart.draw()


def _tables(answer: Answer) -> _Tables:
    """Return the tables of a run."""
    return _Tables(numbers.not_drawn(answer) + numbers.path_table(answer), numbers.event_table(answer))


def _course(answer: Answer, look: Look) -> charts.Option:
    """Return the curves of a run, with words for screen readers."""
    option = charts.course(answer, look.theme, narrow=look.narrow)
    return {**option, "aria": {"enabled": True, "description": numbers.spoken(answer)}}


def _shares(state: State, answer: Answer, found: fair.Fair | None, look: Look) -> charts.Option:
    """Return the shares of a run, with the fair ones as soon as they are known."""
    return charts.shares(state, answer, found, look.theme)


def _fair(
    state: State, answer: Answer, stop: threading.Event, progress: Callable[[float], object]
) -> tuple[fair.Fair, str]:
    """Return the fair shares, and the lights of the goals."""
    found = fair.fair(state, stop, progress)
    return found, "".join(map(light, goals(state, answer, found)))


def _drawing(network: Network) -> str:
    """Return the drawing of a network with the colours of the page."""
    with DRAWING:
        return topology(network).inline("net")


NARROW = 1000
"""Width of a window below which the legends are below the titles of plots, pixels."""

ONE_COLUMN = 760
"""Width of a window below which the page has one column, pixels."""

PAUSE = 0.25
"""Time after a move before its progress is shown, and after its run before further ones begin, seconds."""

LATE = 1.0
"""Time after a run before the progress of further ones is shown, seconds. After most moves they have ended by then."""
