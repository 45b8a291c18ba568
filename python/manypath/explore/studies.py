"""Studies of a state: congestion controls on the same random losses, and a sweep over one control."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nicegui import run as background
from nicegui import ui

from manypath import _native
from manypath.errors import UserError
from manypath.explore import charts, moves
from manypath.explore.controls import changed, controls
from manypath.explore.moves import Answer, Cancelled
from manypath.explore.state import State
from manypath.run import run

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Compare:
    """Windows of the multipath flow under several congestion controls, with the same seed."""

    def __init__(self, page: Page) -> None:
        self._page = page
        with ui.element("section").classes("x-card").props('id="compare"'):
            ui.html("<h2>Compare congestion controls</h2>", sanitize=False)
            ui.label(
                "The runs have the same seed, so that the loss models lose the same packets by number on each link."
            ).classes("x-note")
            names = [name for name, _ in _native.algorithms()]
            chosen = list(page.state.compare)
            self._chosen = ui.select(
                names, value=chosen, multiple=True, label="congestion controls", on_change=self._moved
            )
            self._chosen.props("dense outlined options-dense use-chips").style("width: 100%")
            self._chart = (
                ui.echart({})
                .style("width: 100%; height: 0")
                .props('role="img" aria-label="Windows of each congestion control"')
            )

    async def update(self, stop: threading.Event) -> None:
        """Run the chosen controls and draw each as soon as it is there."""
        from manypath.explore.page import replace

        page, state = self._page, self._page.state
        if not state.compare or state.multipath is None:
            self._chart.style("height: 0")
            return
        found: dict[str, Answer] = {}
        for cc in state.compare:
            answer = await background.io_bound(moves.answer, state.with_cc(cc), state.seed, stop)
            if answer is None or stop.is_set():
                return
            found[cc] = answer
            option = charts.comparison(state, found, page.theme, narrow=page.narrow)
            replace(self._chart, option)

    async def _moved(self) -> None:
        page = self._page
        if tuple(self._chosen.value) != page.state.compare:
            await page.go(page.state.but(compare=tuple(self._chosen.value)))


class Sweep:
    """A small sweep over one control, drawn while its runs end."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._stop = threading.Event()
        with ui.element("section").classes("x-card").props('id="sweep"'):
            ui.html("<h2>Sweep one setting</h2>", sanitize=False)
            with ui.element("div").classes("x-row"):
                places = self._places()
                first = page.state.sweep[:1] or tuple(places)[:1]
                self._place = ui.select(places, value=first[0] if first else None, label="setting")
                self._place.props("dense outlined options-dense").style("flex: 1 1 220px")
                values = page.state.sweep[1] if len(page.state.sweep) > 1 else "1 Mbit/s, 2 Mbit/s, 5 Mbit/s, 10 Mbit/s"
                self._values = ui.input("values, separated by commas", value=values)
                self._values.props("dense outlined").style("flex: 2 1 280px")
                self._runs = ui.number("runs each", value=5, min=1, max=50, precision=0).props("dense outlined")
                self._runs.style("flex: 0 1 110px")
                ui.button("Sweep", on_click=self._start).props("unelevated no-caps")
                ui.button("Stop", on_click=self._halt).props("flat no-caps")
            self._said = ui.label("").classes("x-note").props('role="status"')
            self._chart = (
                ui.echart({}).style("width: 100%; height: 0").props('role="img" aria-label="Goodput at each value"')
            )
        ui.context.client.on_delete(self._halt)

    def _halt(self) -> None:
        """Stop the sweep that goes on."""
        self._stop.set()

    def _places(self) -> dict[str, str]:
        return {
            each.place: f"{each.group}: {each.label}"
            for each in controls(self._page.state)
            if each.kind != "switch" and each.place != "seed" and not each.advanced
        }

    async def _start(self) -> None:
        """Run every value, one replication after another, and draw after each round of values."""
        self._stop.set()
        stop = self._stop = threading.Event()
        self._place.set_options(self._places(), value=self._place.value)
        state, place = self._page.state, self._place.value
        values = [value.strip() for value in str(self._values.value).split(",") if value.strip()][:MOST_VALUES]
        try:
            states = {value: changed(state, place, value) for value in values}
        except UserError as error:
            self._said.text = f"refused: {str(error).splitlines()[0]}"
            return
        self._page.state = state.but(sweep=(place, ", ".join(values)))
        self._page.save_link()
        runs = int(self._runs.value or 1)
        rates: dict[str, dict[str, list[float]]] = {}
        for number in range(runs):
            for value, each in states.items():
                found = await background.io_bound(_rates, each, number, stop)
                if found is None or stop.is_set():
                    self._said.text = "stopped"
                    return
                for flow, rate in found.items():
                    rates.setdefault(flow, {}).setdefault(value, []).append(rate)
            self._draw(values, rates)
            self._said.text = f"{number + 1} of {runs} runs of each value"

    def _draw(self, values: list[str], rates: dict[str, dict[str, list[float]]]) -> None:
        from manypath.explore.page import replace

        option = charts.sweep(values, rates, self._places().get(self._place.value, ""), self._page.theme)
        replace(self._chart, {**option, "height": 320})


def _rates(state: State, replication: int, stop: threading.Event) -> dict[str, float] | None:
    """Return the goodput of each flow; None after a stop."""

    def tell(_: float) -> None:
        if stop.is_set():
            raise Cancelled

    try:
        result = run(state.scenario, state.seed, replication, progress=tell)
    except Cancelled:
        return None
    return {str(flow): float(rate) for flow, rate in result.goodput.items()}


MOST_VALUES = 12
"""Largest number of values of a sweep."""
