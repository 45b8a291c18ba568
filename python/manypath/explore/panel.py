"""The controls on the page: presets, and one widget for each setting, with refusals beside it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from nicegui import run as background
from nicegui import ui

from manypath.errors import UserError
from manypath.explore import presets
from manypath.explore.controls import Control, controls
from manypath.explore.state import State
from manypath.quantity import QuantityError

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Panel:
    """The controls of a page. They are built again only if other settings exist."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._widgets: dict[str, _Widget] = {}
        self._shape: list[tuple[str, str, tuple[str, ...]]] = []
        with ui.element("section").classes("x-card"):
            ui.html("<h2>Preset</h2>", sanitize=False)
            headings = presets.headings()
            self._heading = (
                ui.select(headings, value=headings[0], on_change=self._list)
                .props('dense outlined options-dense aria-label="Collection of presets"')
                .style("width: 100%")
            )
            self._name = (
                ui.select(presets.names(headings[0]), with_input=True, on_change=self._load)
                .props('dense outlined options-dense aria-label="Preset" label="Choose a scenario"')
                .style("width: 100%")
            )
        self._space = ui.element("div")
        self.refresh(page.state)

    def refresh(self, state: State) -> None:
        """Show the values of a state."""
        wanted = controls(state)
        shape = [(each.place, each.kind, each.choices) for each in wanted]
        if shape != self._shape:
            self._shape = shape
            self._space.clear()
            self._widgets.clear()
            with self._space:
                for group, members in groupby(wanted, key=lambda control: control.group):
                    self._build(group, list(members))
        for control in wanted:
            if control.place in self._widgets:
                self._widgets[control.place].show(control)

    def _build(self, group: str, members: list[Control]) -> None:
        with ui.element("section").classes("x-card").props(f'aria-label="{_attribute(group)}"'):
            ui.label(group).props("role=heading aria-level=2").style("font-weight: 650; font-size: 15px")
            for control in members:
                if not control.advanced:
                    self._widgets[control.place] = _Widget(self._page, control)
            rest = [control for control in members if control.advanced]
            if rest:
                title = "Mechanisms" if group.startswith("Flow ") else "More"
                with ui.expansion(title).classes("w-full").style("width: 100%") as more:
                    inside = ui.element("div")

                def fill(event: Any, inside: ui.element = inside, rest: list[Control] = rest) -> None:
                    if event.value and not inside.default_slot.children:
                        current = {each.place: each for each in controls(self._page.state)}
                        with inside:
                            for control in rest:
                                shown = current.get(control.place, control)
                                self._widgets[control.place] = _Widget(self._page, shown)

                more.on_value_change(fill)

    async def _list(self) -> None:
        """Offer the presets of the chosen collection."""
        names = await background.io_bound(presets.names, self._heading.value)
        self._name.set_options(names or [], value=None)

    async def _load(self) -> None:
        if not self._name.value:
            return
        try:
            state = await background.io_bound(presets.preset, self._heading.value, self._name.value)
        except UserError as error:
            ui.notify(str(error), type="negative")
            return
        if state is not None:
            await self._page.go(state)


class _Widget:
    """One control on the page."""

    def __init__(self, page: Page, control: Control) -> None:
        self._page = page
        self._place = control.place
        self._steps = control.steps
        self._known: Any = control.value
        self._slider: ui.slider | None = None
        said = f'aria-label="{_attribute(f"{control.group}, {control.label}. {control.explanation}")}"'
        with ui.element("div").classes("x-control"):
            match control.kind:
                case "switch":
                    self._input: Any = ui.switch(control.label, value=bool(control.value), on_change=self._moved)
                    self._input.props(f"dense {said}")
                case "choice":
                    options = list(dict.fromkeys([*control.choices, control.value]))
                    self._input = ui.select(options, value=control.value, label=control.label, on_change=self._moved)
                    self._input.props(f"dense outlined options-dense {said}").style("width: 100%")
                case _:
                    self._input = ui.input(control.label, value=str(control.value), on_change=self._moved)
                    self._input.props(f"dense outlined debounce=250 {said}").style("width: 100%")
                    if self._steps:
                        self._slider = ui.slider(min=0, max=len(self._steps) - 1, value=self._at(control.value))
                        self._slider.props(f"dense snap {said}")
                        self._slider.on("update:model-value", self._slid, throttle=0.08)
            with self._input:
                self._tip = ui.tooltip().props('max-width="320px" delay=400').style("font-size: 12px")
                with self._tip:
                    self._why = ui.label(control.explanation)
                    ui.label(f"In the documentation: {control.reference}").style("opacity: 0.8")

    def show(self, control: Control) -> None:
        """Show a value that was set elsewhere, and no refusal."""
        self._known = control.value
        if control.kind == "amount":
            self._input.error = None
            if not _same(self._input.value, control.value):
                self._input.value = str(control.value)
        elif self._input.value != control.value:
            self._input.value = control.value
        if self._slider is not None:
            self._slider.value = self._at(control.value)
        if self._why.text != control.explanation:
            self._why.text = control.explanation

    async def _moved(self) -> None:
        """Pass on a value of the user; events of values that the page set itself are ignored."""
        value = self._input.value
        if _same(value, self._known):
            if hasattr(self._input, "error"):
                self._input.error = None
            return
        said = await self._page.set(self._place, value)
        if said and hasattr(self._input, "error"):
            self._input.error = said

    async def _slid(self, event: Any) -> None:
        value = self._steps[int(event.args)]
        if not _same(value, self._known):
            self._known = value
            self._input.value = value
            self._input.error = await self._page.set(self._place, value) or None

    def _at(self, value: Any) -> int:
        """Return the step that is nearest to a value."""
        if value in self._steps:
            return self._steps.index(value)
        amount = _amount(value)
        if amount is None:
            return len(self._steps) - 1
        return min(range(len(self._steps)), key=lambda number: abs((_amount(self._steps[number]) or 0.0) - amount))


def _amount(text: Any) -> float | None:
    """Return a quantity or a number as a float in base units; None if the text is neither."""
    from manypath.quantity import RATE, SIZE, SPAN

    for dimension in (RATE, SPAN, SIZE):
        try:
            return float(dimension.parse(str(text)))
        except QuantityError:
            continue
    try:
        return float(str(text).removesuffix("%"))
    except ValueError:
        return None


def _same(text: Any, value: Any) -> bool:
    """Whether a text of the user means the value, such as ``10Mbit/s`` and ``10 Mbit/s``."""
    return (
        text == value
        or str(text).replace(" ", "") == str(value).replace(" ", "")
        or (_amount(text) is not None and _amount(text) == _amount(value))
    )


def _attribute(text: str) -> str:
    return text.replace('"', "'").replace("\n", " ")
