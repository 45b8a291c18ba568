"""Studies of a state: congestion controls on the same random losses, and a sweep over one control."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from nicegui import run as background
from nicegui import ui

from manypath import _native
from manypath.display import Table, number_columns, text_columns
from manypath.errors import UserError
from manypath.explore import charts, moves
from manypath.explore.charts import Swept
from manypath.explore.controls import SWITCH, Control, changed, whole
from manypath.explore.moves import Answer, Cancelled, after, cancellable
from manypath.explore.parts import Chart, Look, card, heading
from manypath.explore.state import MOST_COMPARED, State

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Compare:
    """Windows of the multipath flow under several congestion controls, with the same seed."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._found: dict[str, tuple[Answer, tuple[str, ...]]] = {}
        """The run of each congestion control, and its row of the table; also of those that are no longer chosen."""
        self._refused: dict[str, str] = {}
        """Why a congestion control cannot run."""
        self._drawn = page.state
        """The state whose runs these are."""
        with card("compare"):
            heading("Compare congestion controls")
            ui.label(
                "The runs have the same seed: on each link the loss models lose the packets with the same numbers."
            ).classes("x-note")
            names = [name for name, _ in _native.algorithms()]
            names = list(dict.fromkeys([*names, *page.state.compare]))
            with ui.element("div").classes("x-row"):
                self._chosen = ui.select(
                    names,
                    value=list(page.state.compare),
                    multiple=True,
                    label="congestion controls",
                    on_change=self._moved,
                )
                self._chosen.props(f"dense outlined options-dense use-chips max-values={MOST_COMPARED}")
                self._chosen.props('data-name="Congestion controls to compare"').style("flex: 1 1 260px")
                self._view = ui.toggle(
                    {False: "Side by side", True: "Overlaid"}, value=page.state.is_overlaid, on_change=self._turned
                ).props('no-caps unelevated role=group aria-label="View of the comparison"')
            self._said = ui.label("").classes("x-note").props('role="status"')
            self._numbers = ui.html("", sanitize=False).classes("x-scroll")
            self.chart = Chart("Windows of each congestion control", page.look)

    async def update(self, stop: threading.Event, progress: Callable[[float], object]) -> None:
        """Run the chosen controls that have not run in this state, and draw each as soon as it is there.

        `progress` receives the number of finished runs. After a stop those that are drawn stay.
        """
        state = self._page.state
        if not self._is_of(state):
            self._found, self._refused, self._drawn = {}, {}, state
        if state.multipath is None:
            self.clear("No flow of this scenario uses several paths.")
            return
        self._say_refused()
        await self._draw()
        finished = 0
        while (missing := self.missing()) and not stop.is_set():
            cc = missing[0]
            try:
                found = await background.io_bound(_found, state, cc, stop, after(finished, progress))
            except (UserError, _native.RunError) as error:
                self._refused[cc] = str(error).splitlines()[0]
                self._say_refused()
                continue
            except Cancelled:
                break
            if found is None or stop.is_set():
                break
            self._found[cc] = found
            finished += 1
            await self._draw()
        # After a move the new run says what belongs to it.
        if stop.is_set() and self._is_of(self._page.state) and (missing := self.missing()):
            self._said.text = f"Stopped: {', '.join(missing)} did not run."

    def clear(self, why: str) -> None:
        """Show no runs. If some congestion controls are chosen, show the reason."""
        self._found, self._refused = {}, {}
        self._said.text = why if self._page.state.compare else ""
        self._numbers.set_content("")
        self.chart.clear()

    def _is_of(self, state: State) -> bool:
        """Whether the runs are those of a state, which may compare other congestion controls."""
        return state.seed == self._drawn.seed and state.scenario == self._drawn.scenario

    def missing(self) -> list[str]:
        """Return the chosen congestion controls that have not run in the state of the page."""
        state = self._page.state
        known = {*self._found, *self._refused} if self._is_of(state) else set[str]()
        return [cc for cc in state.compare if cc not in known]

    def _say_refused(self) -> None:
        """Say why some of the chosen congestion controls cannot run."""
        chosen = self._page.state.compare
        self._said.text = " ".join(f"{cc}: {said}" for cc, said in self._refused.items() if cc in chosen)

    async def _draw(self) -> None:
        """Draw the runs of the chosen congestion controls. After a move they are those of the state before."""
        shown = self._page.state
        state = self._drawn.but(compare=shown.compare, is_overlaid=shown.is_overlaid)
        chosen = {cc: self._found[cc] for cc in state.compare if cc in self._found}
        if not chosen:
            self._numbers.set_content("")
            self.chart.clear()
            return
        self._numbers.set_content(_table(state, [row for _, row in chosen.values()]))
        answers = {cc: answer for cc, (answer, _) in chosen.items()}
        await self.chart.show(partial(_comparison, state, answers))

    async def _moved(self) -> None:
        """Compare other congestion controls; the runs of the state and of the sweep go on."""
        page, chosen = self._page, tuple(self._chosen.value)
        if chosen == page.state.compare:
            return
        page.state = page.state.but(compare=chosen)
        page.save_link()
        self._say_refused()
        if self._found:
            await self._draw()
        await page.compare_chosen()

    async def _turned(self) -> None:
        """Show the other view of the same runs."""
        page = self._page
        page.state = page.state.but(is_overlaid=bool(self._view.value))
        page.save_link()
        if self._found:
            await self._draw()


class Sweep:
    """A small sweep over one control, drawn while its runs end."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._stop = threading.Event()
        self._is_running = False
        kept = dict(enumerate(page.state.sweep))
        with card("sweep"):
            heading("Sweep one setting")
            with ui.element("div").classes("x-row"):
                places = self._places()
                first = kept.get(0) if kept.get(0) in places else next(iter(places), None)
                self._place = ui.select(places, value=first, label="setting", on_change=self._chosen)
                self._place.props('dense outlined options-dense data-name="Setting of the sweep"')
                self._place.style("flex: 1 1 220px")
                values = kept.get(1) or self._proposed()
                self._values = ui.input("values, separated by commas", value=values)
                self._values.props('dense outlined aria-label="Values of the sweep"').style("flex: 2 1 280px")
                self._runs = ui.input("runs each", value=kept.get(2, "5"))
                self._runs.props('dense outlined aria-label="Runs of each value"').style("flex: 0 1 110px")
                ui.button("Sweep", on_click=self.start).props("unelevated no-caps")
                self._halt = ui.button("Stop", on_click=lambda: self.halt(f"Stopped after {self._said.text}.")).props(
                    "flat no-caps"
                )
                self._halt.visible = False
            self._refusal = ui.label("").classes("x-refusal").props('role="alert"')
            self._said = ui.label("").classes("x-note").props('role="status"')
            self.chart = Chart("Goodput at each value", page.look)

    def stop(self) -> None:
        """Stop the running sweep; its last run may go on for a moment."""
        self._stop.set()
        self._halt.visible = False

    def halt(self, said: str) -> None:
        """Stop the running sweep and show the reason, also beside a finished sweep."""
        self.stop()
        if self._is_running or self._said.text:
            self._said.text = said

    def refresh(self) -> None:
        """Offer the settings that the state has."""
        places, place = self._places(), self._place.value
        if places != self._place.options:
            self._place.set_options(places, value=place if place in places else next(iter(places), None))

    async def start(self) -> None:
        """Run every value, one replication after another, and draw after each round of values.

        Refused values leave a running sweep alone.
        """
        state, place = self._page.state, self._place.value
        control = self._control(place)
        values = [value.strip() for value in str(self._values.value).split(",") if value.strip()]
        try:
            runs = whole("runs each", self._runs.value, 1, MOST_RUNS)
            if control is None:
                raise UserError("setting: none is chosen: choose one")
            if not 1 <= len(values) <= MOST_VALUES:
                raise UserError(f"values: {len(values)} are not 1 to {MOST_VALUES}: give some, separated by commas")
            states = {value: changed(state, place, control.value_of(value)) for value in values}
        except UserError as error:
            self._refusal.text = f"refused: {str(error).splitlines()[0]}"
            return
        self._refusal.text = ""
        self._stop.set()
        stop = self._stop = threading.Event()
        self._page.state = state.but(sweep=(place, ", ".join(values), str(runs)))
        self._page.save_link()
        self._is_running = self._halt.visible = True
        try:
            await self._rounds(states, runs, control, stop)
        except (UserError, _native.RunError) as error:
            self._said.text = f"error: {str(error).splitlines()[0]}"
        finally:
            if stop is self._stop:
                self._is_running = self._halt.visible = False

    async def _rounds(self, states: Mapping[str, State], runs: int, control: Control, stop: threading.Event) -> None:
        """Run each value once, then each a second time, and so on."""
        rates: dict[str, dict[str, list[float]]] = {}
        total = runs * len(states)
        swept = Swept(f"{control.group}: {control.label}", control.kind == "amount", tuple(states))
        self._said.text = f"0 of {total} runs"
        due = 0.0
        for finished, (number, value) in enumerate(product(range(runs), states), 1):
            found = await background.io_bound(_rates, states[value], number, stop)
            if found is None or stop.is_set():
                return
            for flow, rate in found.items():
                rates.setdefault(flow, {}).setdefault(value, []).append(rate)
            # Short runs end faster than a browser draws.
            if finished < total and time.monotonic() < due:
                continue
            due = time.monotonic() + INTERVAL
            await self.chart.show(partial(_swept, swept, deepcopy(rates)))
            if stop.is_set():
                return
            self._said.text = f"{finished} of {total} runs"

    def _places(self) -> dict[str, str]:
        return {each.place: f"{each.group}: {each.label}" for each in self._page.controls if each.place != "seed"}

    def _control(self, place: object) -> Control | None:
        return next((each for each in self._page.controls if each.place == place), None)

    def _proposed(self) -> str:
        """Return values of the chosen setting to begin with: its choices, or steps around its value."""
        found = self._control(self._place.value)
        if found is None:
            return ""
        if found.kind == "switch":
            return ", ".join(SWITCH)
        steps = found.choices or found.steps or (str(found.value),)
        at = steps.index(str(found.value)) if found.value in steps else len(steps) // 2
        begin = max(min(at - 2, len(steps) - 5), 0)
        return ", ".join(steps[begin : begin + 5])

    def _chosen(self) -> None:
        """Propose values of another setting."""
        self._values.value = self._proposed()


def _rates(state: State, replication: int, stop: threading.Event) -> dict[str, float] | None:
    """Return the goodput of each flow; None after a stop."""
    try:
        result = cancellable(state.scenario, state.seed, stop, replication=replication)
    except Cancelled:
        return None
    return {str(flow): float(rate) for flow, rate in result.goodput.items()}


def _found(
    state: State, cc: str, stop: threading.Event, progress: Callable[[float], object]
) -> tuple[Answer, tuple[str, ...]]:
    """Return the run of a congestion control, and its row of the table."""
    answer = moves.answer(state.with_cc(cc), state.seed, stop, progress)
    flow = str(state.multipath)
    own, goodput = answer.result.paths["goodput"][flow], answer.result.goodput
    rates = [*(own[path] for path in _paths(state)), goodput[flow]]
    rates += [goodput[state.rival]] if state.rival else []
    return answer, (cc, *(f"{rate:.2f}" for rate in rates))


def _table(state: State, rows: Sequence[tuple[str, ...]]) -> str:
    """Return the numbers of each congestion control as a table."""
    rates = (*(f"on {path}" for path in _paths(state)), "in all", *([state.rival] if state.rival else ()))
    return Table("Goodput, Mbit/s", (*text_columns("congestion control"), *number_columns(*rates)), rows).html()


def _paths(state: State) -> tuple[str, ...]:
    """Return the paths of the multipath flow."""
    return tuple(state.scenario.flows[str(state.multipath)].paths)


def _comparison(state: State, answers: Mapping[str, Answer], look: Look) -> charts.Option:
    return charts.comparison(state, answers, look.theme, narrow=look.narrow)


def _swept(swept: Swept, flows: Mapping[str, Mapping[str, Sequence[float]]], look: Look) -> charts.Option:
    return charts.sweep(swept, flows, look.theme)


MOST_VALUES = 12
"""Largest number of values of a sweep."""

MOST_RUNS = 50
"""Largest number of runs of each value."""

INTERVAL = 0.2
"""Shortest time between two pictures of a sweep, seconds."""
