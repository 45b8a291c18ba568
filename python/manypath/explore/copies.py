"""The menu that takes a state along: as Python, TOML, command line or link, and as downloads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from manypath.explore import texts

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Copies:
    """The menu of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        with ui.button("Take along", icon="ios_share").props("flat dense no-caps"), ui.menu():
            for name in KINDS:
                ui.menu_item(f"Copy as {name}", partial(self._copy, name))
            ui.separator()
            for name, file in FILES.items():
                ui.menu_item(f"Download {name}", partial(self._download, file))
        with ui.dialog() as self._dialog, ui.card().style("width: min(900px, 94vw); max-width: 94vw"):
            self._title = ui.label("").style("font-weight: 650")
            self._text = ui.label("").classes("x-code").props('tabindex=0 aria-label="Copied text"')
            ui.button("Close", on_click=self._dialog.close).props("flat no-caps")

    async def _copy(self, name: str) -> None:
        state = self._page.state
        match name:
            case "Python":
                text = texts.python(state.scenario, state.seed)
            case "TOML":
                text = texts.toml(state.scenario) or texts.command(state.scenario, state.seed)
            case "command line":
                text = texts.command(state.scenario, state.seed)
            case _:
                text = str(await ui.run_javascript("location.origin + location.pathname", timeout=5.0))
                text += f"?s={state.packed()}"
        ui.clipboard.write(text)
        self._title.text = f"Copied to the clipboard as {name}"
        self._text.text = text
        self._dialog.open()

    def _download(self, file: str) -> None:
        ui.download.from_url(f"/{self._page.token}/{file}?s={self._page.state.packed()}")


KINDS = ("Python", "TOML", "command line", "link")
"""What a state can be copied as."""

FILES = {
    "data as CSV": "series.csv",
    "data as Parquet": "series.parquet",
    "figure as SVG": "figure.svg",
    "capture as pcapng": "capture.pcapng",
}
"""Downloads and their addresses."""
