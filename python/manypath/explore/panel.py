"""The controls on the page: presets, and one widget for each setting, with refusals beside it."""

from __future__ import annotations

from collections.abc import Awaitable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from nicegui import run as background
from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from manypath import documentation
from manypath.errors import UserError
from manypath.explore import presets
from manypath.explore.controls import Control, without_controls
from manypath.explore.parts import DOCUMENTATION, heading
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
            heading("Preset")
            headings = presets.headings()
            self._heading = (
                ui.select(headings, value=headings[0], on_change=self._list)
                .props('dense outlined options-dense data-name="Collection of presets"')
                .style("width: 100%")
            )
            self._name = (
                ui.select(presets.names(headings[0]), with_input=True, on_change=self._load)
                .props('dense outlined options-dense aria-label="Preset" label="Choose a scenario"')
                .style("width: 100%")
            )
            self._about = ui.label("").classes("x-note")
        self._preset: State | None = None
        """The state of the chosen preset."""
        self._space = ui.element("div")
        self._rest = ui.label("").classes("x-note")
        self._explanation = _Explanation()
        self.refresh()

    def refresh(self) -> None:
        """Show the values of the state."""
        state, wanted = self._page.state, self._page.controls
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
        self._rest.text = without_controls(state)
        if self._preset is not None and state.scenario != self._preset.scenario:
            # The preset can be chosen again.
            self._preset = self._name.value = None
            self._about.text = ""

    def _build(self, group: str, members: list[Control]) -> None:
        card = ui.element("details").classes("x-card x-group").props("" if self._page.has_sheet else "open")
        with card:
            with ui.element("summary"):
                heading(group)
            for control in members:
                if not control.advanced:
                    self._widgets[control.place] = self._widget(control)
            rest = [control for control in members if control.advanced]
            if rest:
                title = "Mechanisms" if group.startswith("Flow ") else "More"
                with ui.expansion(title).classes("w-full").style("width: 100%") as more:
                    inside = ui.element("div")

                def fill(event: Any, inside: ui.element = inside, rest: list[Control] = rest) -> None:
                    if event.value and not inside.default_slot.children:
                        current = {each.place: each for each in self._page.controls}
                        with inside:
                            for control in rest:
                                shown = current.get(control.place, control)
                                self._widgets[control.place] = self._widget(shown)

                more.on_value_change(fill)

    def _widget(self, control: Control) -> _Widget:
        return _Widget(self._page, control, self._explanation)

    async def _list(self) -> None:
        """Offer the presets of the chosen collection."""
        heading = self._heading.value
        names = await background.io_bound(presets.names, heading)
        if heading != self._heading.value:
            return
        self._preset, self._about.text = None, ""
        self._name.set_options(names or [], value=None)

    async def _load(self) -> None:
        """Show the chosen preset. The congestion controls that are compared stay chosen."""
        if not self._name.value:
            return
        heading, name = self._heading.value, self._name.value
        try:
            found = await background.io_bound(presets.preset, heading, name)
        except UserError as error:
            ui.notify(str(error), type="negative")
            return
        if found is None or name != self._name.value:
            return
        self._preset, self._about.text = found, presets.about(heading, name)
        await self._page.go(self._page.state.but(scenario=found.scenario, seed=found.seed, sweep=()))


class _Explanation:
    """The dialog with the explanation of a control, and its place in the documentation."""

    def __init__(self) -> None:
        with ui.dialog() as self._dialog, ui.card().style("max-width: min(520px, 94vw)"):
            self._title = ui.label("").props("role=heading aria-level=2").style("font-weight: 650")
            self._text = ui.label("")
            self._name = ui.label("").classes("x-note")
            self._links = [ui.link("", "", new_tab=True) for _ in range(2)]
            ui.button("Close", on_click=self._dialog.close).props("flat no-caps")
        self._dialog.props('aria-label="Explanation of a setting"')

    def open(self, control: Control) -> None:
        """Explain a control."""
        self._title.text = f"{control.group}: {control.label}"
        self._text.text = control.explanation
        self._name.text = f"In Python: {control.reference}"
        field, page = documentation.place(control.definition), documentation.place_of_page(control.page)
        texts = (f"Documentation: {control.reference}", f"Documentation: {control.page.removesuffix('.md')}")
        for link, text, place in zip(self._links, texts, (field, page), strict=True):
            link.text = text
            link.props["href"] = f"{DOCUMENTATION}/{place}" if place else ""
            # Without a built site there is the explanation alone.
            link.set_visibility(place is not None)
        self._dialog.open()


class _Widget:
    """One control on the page."""

    def __init__(self, page: Page, control: Control, explanation: _Explanation) -> None:
        self._page = page
        self._control = control
        self._explanation = explanation
        self._steps = control.steps
        self._known: Any = control.value
        self._slider: _Slider | None = None
        self._shows = False
        name = f"{control.group}, {control.label}"
        with ui.element("div").classes("x-control"):
            match control.kind:
                case "switch":
                    with ui.element("div").classes("x-switch"):
                        self._input: Any = ui.switch(control.label, value=bool(control.value), on_change=self._moved)
                        self._input.props("dense")
                        self._button(name)
                    self._refusal = ui.label("").classes("x-refusal").props("role=alert")
                case "choice":
                    options = list(dict.fromkeys([*control.choices, control.value]))
                    self._input = ui.select(options, value=control.value, label=control.label, on_change=self._moved)
                    self._input.props("dense outlined hide-bottom-space options-dense").style("width: 100%")
                case _:
                    self._input = ui.input(control.label, value=str(control.value), on_change=self._moved)
                    self._input.props("dense outlined hide-bottom-space debounce=250").style("width: 100%")
                    if self._steps:
                        last, value = len(self._steps) - 1, self._at(control.value)
                        self._slider = _Slider(min=0, max=last, value=value, on_change=self._slid)
                        self._slider.props("dense snap")
                        self._slider.props["aria-label"] = f"{name}, slider"
            if control.kind != "switch":
                with self._input.add_slot("append"):
                    self._button(name)
        # Not through the text of `props`, because names may contain quotation marks and backslashes.
        self._input.props["data-name" if control.kind == "choice" else "aria-label"] = name

    def _button(self, name: str) -> None:
        """Add the button that explains the control."""
        # Plain HTML, because the browser renders all elements at each change, and a button of Quasar takes longer.
        self._help = ui.element("button").classes("x-help")
        # A list that contains the button opens at each click and key that reaches it.
        self._help.on("click.stop", lambda: self._explanation.open(self._control))
        self._help.on("keydown.stop", js_handler="() => {}")
        self._help.props["type"] = "button"
        self._help.props["aria-label"] = f"Explain {name}"
        self._help.props["title"] = self._control.explanation

    def show(self, control: Control) -> None:
        """Show a value that was set elsewhere, and no refusal."""
        self._control, self._known = control, control.value
        self._refuse("")
        self._shows = True
        if control.kind == "amount":
            if not _same(self._input.value, control.value):
                self._input.value = str(control.value)
        elif self._input.value != control.value:
            self._input.value = control.value
        if self._slider is not None:
            self._slider.value = self._at(control.value)
        self._shows = False
        if self._help.props["title"] != control.explanation:
            self._help.props["title"] = control.explanation

    def _moved(self, event: ValueChangeEventArguments) -> Awaitable[None] | None:
        """Pass on a value of the user, but none that `show` sets.

        The event tells the value: a move of another control may show the former value before this one is passed on.
        """
        return None if self._shows else self._pass_on(event.value)

    def _slid(self, event: ValueChangeEventArguments) -> Awaitable[None] | None:
        """Pass on a move of the user; `show` moves the slider to the step that is nearest to a value."""
        return None if self._shows else self._take(self._steps[int(event.value)])

    async def _pass_on(self, value: Any) -> None:
        """Set the value of the field."""
        if _same(value, self._known):
            self._refuse("")
            return
        said = await self._page.set(self._control.place, value)
        # An accepted value was shown before its run; a later one may have been refused since then.
        if said:
            self._refuse(said)

    async def _take(self, value: str) -> None:
        """Set a value of the slider."""
        before = self._known
        if _same(value, before):
            # Back at the value that holds; the field may show a refused one.
            self._input.value = before
            self._refuse("")
            return
        self._known = value
        self._input.value = value
        said = await self._page.set(self._control.place, value)
        if said:
            self._known = before
            self._refuse(said)

    def _refuse(self, said: str) -> None:
        """Show a message beside the control; none if it is empty."""
        if self._control.kind == "switch":
            self._refusal.text = said
        elif (self._input.error or "") != said:
            self._input.error = said or None

    def _at(self, value: Any) -> int:
        """Return the step that is nearest to a value."""
        if value in self._steps:
            return self._steps.index(value)
        amount = _amount(value)
        if amount is None:
            return len(self._steps) - 1
        return min(range(len(self._steps)), key=lambda number: abs((_amount(self._steps[number]) or 0.0) - amount))


class _Slider(ui.slider):
    """A slider whose place is known to the browser first.

    By default the server sends each value back, and a slider that has moved further meanwhile jumps back.
    """

    LOOPBACK = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # What the server sets later has an effect only if it differs from this property.
        self.on("update:model-value", js_handler='(value) => { element.props["model-value"] = value; }')


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
