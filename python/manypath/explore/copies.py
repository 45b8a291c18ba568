"""The menu that exports a state: as Python, TOML, command line or link, and as downloads."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from nicegui import run as background
from nicegui import ui

from manypath.errors import UserError
from manypath.explore import files, texts
from manypath.explore.moves import Answer, Cancelled
from manypath.explore.parts import asked

if TYPE_CHECKING:
    from manypath.explore.page import Page


class Copies:
    """The menu of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._download = _Download(page)
        with ui.button("Take along", icon="ios_share").props("flat dense no-caps"), ui.menu():
            for name in KINDS:
                ui.menu_item(f"Copy as {name}", partial(self._copy, name))
            ui.separator()
            for name, file in files.FILES.items():
                ui.menu_item(f"Download {name}", partial(self._download.start, file))
        with ui.dialog() as self._dialog, ui.card().style("width: min(900px, 94vw); max-width: 94vw"):
            self._title = ui.label("").props("role=heading aria-level=2").style("font-weight: 650")
            self._text = ui.label("").classes("x-code").props('tabindex=0 role=region aria-label="Copied text"')
            ui.button("Close", on_click=self._dialog.close).props("flat no-caps")
        self._dialog.props('aria-label="Copied text"')

    def forget(self) -> None:
        """Stop a download, and remove its file: the page was closed."""
        self._download.forget()

    async def _copy(self, name: str) -> None:
        state = self._page.state
        match name:
            case "Python":
                text = texts.python(state.scenario, state.seed)
            case "TOML":
                text = f"# manypath run FILE --seed {state.seed}\n{texts.toml(state.scenario)}"
            case "command line":
                text = texts.command(state.scenario, state.seed)
            case _:
                link = state.link()
                if not link:
                    ui.notify("This scenario is too large for a link: copy it as TOML", type="negative")
                    return
                page = await asked("location.origin + location.pathname")
                if page is None:
                    return
                text = page + link
        ui.clipboard.write(text)
        self._title.text = f"Copied to the clipboard as {name}"
        self._text.text = text
        self._dialog.open()


class _Download:
    """One download at a time: it waits for the run of the page, writes its file and passes it to the browser."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._stop = threading.Event()
        self._share = 0.0
        self._folder: TemporaryDirectory[str] | None = None
        with ui.dialog().props('persistent aria-label="Download"') as self._dialog, ui.card().style("width: 380px"):
            self._said = ui.label("").props('role="status" aria-live="polite"')
            self._bar = ui.linear_progress(0.0, show_value=False).props('aria-label="Finished share of the download"')
            ui.button("Cancel", on_click=self._cancel).props("flat no-caps")
        ui.timer(0.2, self._tell)

    async def start(self, name: str) -> None:
        """Write a file and pass it to the browser."""
        self._stop.set()
        stop = self._stop = threading.Event()
        self._share = 0.0
        self._said.text = "The download waits for the run."
        opening = asyncio.get_running_loop().call_later(PATIENCE, self._dialog.open)
        try:
            file = await self._written(name, stop)
        except (UserError, OSError) as error:
            if not stop.is_set():
                said = f"{name} cannot be written: {str(error).splitlines()[0]}"
                ui.notify(said, type="negative", timeout=0, close_button=True)
            return
        except Cancelled:
            return
        finally:
            opening.cancel()
            if stop is self._stop:
                self._dialog.close()
        if file is None:
            ui.notify(f"{name} cannot be written: there is no finished run: choose *Run again*, or change a setting")
        else:
            ui.download.file(file)

    async def _written(self, name: str, stop: threading.Event) -> Path | None:
        """Return the written file; None if there is no run."""
        answer = await self._answered(stop)
        if answer is None:
            return None
        self._said.text = f"The file {name} is written."
        # The file of an earlier download has arrived.
        self._remove()
        self._folder = TemporaryDirectory(prefix="manypath-explore-")
        file = Path(self._folder.name) / name
        await background.io_bound(files.write, file, self._page.state, answer, stop, self._progress)
        return file

    async def _answered(self, stop: threading.Event) -> Answer | None:
        """Wait for the end of the run of the page; return its answer, None if it failed or was stopped."""
        while self._page.is_running:
            self._share = self._page.share()
            await asyncio.sleep(0.1)
            if stop.is_set():
                raise Cancelled
        self._share = 0.0
        return self._page.answer

    def _progress(self, share: float) -> None:
        self._share = share

    def _tell(self) -> None:
        if self._dialog.value:
            self._bar.value = self._share

    def _cancel(self) -> None:
        self._stop.set()
        self._dialog.close()

    def forget(self) -> None:
        """Stop, and remove the file: the page was closed."""
        self._stop.set()
        self._remove()

    def _remove(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


KINDS = ("Python", "TOML", "command line", "link")
"""What a state can be copied as."""

PATIENCE = 0.4
"""Time after which a download shows its progress, seconds."""
