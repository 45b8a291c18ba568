"""Pages of the explorer without a browser: NiceGUI runs them, and a tab of this file answers as a browser does.

A tab proves states, texts and data of charts. What the browser draws, and its keys, need the fixture `browser`.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
from nicegui import Client, core, ui
from nicegui.nicegui import _on_handshake
from nicegui.testing.general import nicegui_reset_globals, prepare_simulation
from page_object import PATIENCE, PageObject

from manypath.explore import presets
from manypath.explore.live.follower import Follower
from manypath.explore.live.page import LivePage
from manypath.explore.moves import CLOSING
from manypath.explore.page import Page
from manypath.explore.state import State

ANSWERS = {
    "return [matchMedia": [False, 1280],
    "return location.origin": "http://127.0.0.1/",
    "return manypath.follow": True,
}
"""Answers of a browser to scripts by their begin: light colours and a wide window, its address, and a drawn chart."""

DRAWN = re.compile(r'(?:return )?manypath\.(?:draw|follow)\((\d+), (".*")\)$', re.DOTALL)
"""A script that draws a chart, with the number of its element and its option."""

MOVED = re.compile(r"history\.replaceState\(null, '', '(.*)'\)$")
"""A script that writes an address."""


Log = Callable[[Path], str]
"""Follows a log; returns the address of its page."""


class Simulation:
    """The program of pages without a server: a loop in a thread."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        """Exceptions of pages."""
        self.first = presets.default()
        """The first state of pages."""
        self.followers: dict[str, Follower] = {}
        """Logs of pages by the address of their file."""
        self._loop = asyncio.new_event_loop()
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    def __enter__(self) -> Simulation:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE)
        self._loop.close()

    def run(self, task: Callable[[], Awaitable[Any]]) -> Any:
        """Run a task in the loop; return its value."""

        async def run() -> Any:
            return await task()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(PATIENCE)

    async def _run(self) -> None:
        CLOSING.clear()
        with nicegui_reset_globals():
            prepare_simulation()
            core.app.on_exception(self.errors.append)
            ui.page("/", response_timeout=PATIENCE)(self._page)
            async with core.app.router.lifespan_context(core.app):
                self._ready.set()
                await self._end.wait()
            # Otherwise NiceGUI removes the modules of pages.
            Client.page_routes.clear()

    async def _page(self, s: str = "", kept: str = "", log: str = "") -> None:
        if log:
            await LivePage(self.followers[log]).show()
            return
        await Page(self.first).show(s, kept)


class Tab(PageObject):
    """A tab with a page."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._client: Any = None
        self._charts: dict[int, dict[str, Any]] = {}
        # As in a browser, these and charts come later than the texts of the page, which tests read from the program.
        self.address = "/"
        """The address of the page, which a reload opens."""
        self.notes: list[str] = []
        """Notifications."""
        self.downloads: list[str] = []
        """Addresses of files that were offered."""

    def open(self, address: str | State = "/") -> None:
        """Open an address, or the link of a state."""
        self.leave()
        self._charts.clear()
        self.address = f"/?s={address.packed()}" if isinstance(address, State) else address
        self._simulation.run(self._open)

    def leave(self) -> None:
        """Close the page, as a browser does that opens another one."""

        async def leave() -> None:
            if self._client is not None:
                self._client.delete()
                self._client = None

        self._simulation.run(leave)

    @property
    def state(self) -> State:
        """The state in the address."""
        return State.unpacked(parse_qs(urlsplit(self.address).query)["s"][0])

    @property
    def status(self) -> str:
        """The status of the page; empty before a page is opened."""
        return super().status if self._client is not None else ""

    def rests(self) -> None:
        """Wait until everything is there that belongs to the last move."""
        self.until(lambda: self._find(".x-rest")[0].props.get("aria-busy") == "false")

    def another(self) -> Tab:
        """Return another tab of the same program."""
        return Tab(self._simulation)

    def text(self, selector: str, within: str = "") -> str:
        """Return the visible texts of elements: of a class, as ``.x-status``, or of a section, as ``#sweep``."""
        return self._in_loop(lambda: "\n".join(filter(None, map(_text, self._find(selector, within)))))

    def dialog(self) -> str:
        """Return the texts of the open dialog; empty without one."""

        def said() -> str:
            dialogs = [each for each in self._elements() if isinstance(each, ui.dialog) and each.value]
            return "\n".join(map(_text, dialogs))

        return self._in_loop(said)

    def rows(self, selector: str) -> list[list[str]]:
        """Return the texts of the cells of tables, without their heads."""
        found = self._in_loop(lambda: "".join(_source(each) for each in self._find(selector)))
        bodies = re.findall(r"<tbody>(.*?)</tbody>", found, re.DOTALL)
        rows = [row for body in bodies for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)]
        return [[_plain(cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)] for row in rows]

    def source(self, selector: str) -> str:
        """Return the HTML of elements."""
        return self._in_loop(lambda: "".join(map(_source, self._find(selector))))

    def option(self, card: str) -> dict[str, Any]:
        """Return the option of the chart of a section; empty if it shows none."""

        def option() -> dict[str, Any]:
            shown = [each for each in self._find(f"#{card}") for each in each.descendants() if each.id in self._charts]
            return self._charts[shown[0].id] if shown and shown[0].style.get("height") not in ("0", "0px") else {}

        return self._in_loop(option)

    def chart(self, card: str) -> list[str]:
        """Return the names of the curves of a chart."""
        return [series["name"] for series in self.option(card).get("series", [])]

    def value(self, label: str) -> Any:
        """Return the value of a field."""
        return self._in_loop(lambda: self._named(label).value)

    def property_of(self, label: str, name: str) -> str:
        """Return a property of an element."""
        return self._in_loop(lambda: self._named(label).props[name])

    def links(self) -> list[str]:
        """Return the addresses of links."""
        return self._in_loop(lambda: [each.props["href"] for each in self._elements() if isinstance(each, ui.link)])

    def options(self, label: str) -> list[str]:
        """Return the options of a list."""
        return self._in_loop(lambda: list(self._named(label).options))

    def has(self, label: str) -> bool:
        """Whether there is an element with a name."""
        return self._in_loop(lambda: any(map(_has_name(label), self._elements())))

    def refusal(self, label: str) -> str:
        """Return the refusal beside a field."""
        return self._in_loop(lambda: getattr(self._named(label), "error", None) or "")

    def is_visible(self, selector: str) -> bool:
        """Whether an element of a class is visible."""
        return self._in_loop(lambda: any(each.visible for each in self._find(selector)))

    def bar(self) -> float:
        """Return the finished share that the page shows; 0 if it shows none."""
        return self._in_loop(lambda: max((each.value for each in self._find(".x-bar") if each.visible), default=0.0))

    def emit(self, event: str, value: object) -> None:
        """Send an event of the window."""

        def emit() -> None:
            for listener in _listeners(self._client.layout, event):
                self._client.layout._handle_event({"listener_id": listener.id, "args": value})

        self._in_loop(emit)

    def write(self, label: str, value: Any) -> None:
        """Set the value of a field, a list, a switch, or a slider by the number of its step."""
        self.write_all({label: value})

    def write_all(self, values: dict[str, Any]) -> None:
        """Set the values of fields at once: no task of the page runs between them."""
        self.until(lambda: all(map(self.has, values)))

        def write() -> None:
            for label, value in values.items():
                self.receive(label, value)

        self._in_loop(write)

    def receive(self, label: str, value: Any) -> None:
        """Set the value of a field from the loop of the page, as NiceGUI does with a message of a browser."""
        self._named(label).value = value

    def shows_button(self, text: str, within: str = "") -> bool:
        """Whether a button is visible."""

        def shows() -> bool:
            buttons = [each for each in self._elements(within) if isinstance(each, ui.button) and _is_shown(each)]
            return any(each.text == text for each in buttons)

        return self._in_loop(shows)

    def click(self, text: str, within: str = "") -> None:
        """Click a visible button or entry of a menu by its text, or an element by its name."""

        def click() -> bool:
            for element in self._elements(within):
                if _is_shown(element) and (getattr(element, "text", None) == text or _has_name(text)(element)):
                    # The text of an entry of a menu is inside of what is clicked.
                    clicked = [each for each in (element, *element.ancestors()) if _listeners(each, "click")]
                    for listener in _listeners(clicked[0], "click") if clicked else []:
                        clicked[0]._handle_event({"listener_id": listener.id, "args": {}})
                    return bool(clicked)
            return False

        self.until(lambda: self._in_loop(click))

    def expand(self, text: str) -> None:
        """Open a group of controls."""

        def expand() -> None:
            for element in self._elements():
                if isinstance(element, ui.expansion) and element.props.get("label") == text:
                    element.value = True

        self._in_loop(expand)

    def fetch(self, address: str) -> bytes:
        """Return the content of an address of the program, such as that of a download."""

        async def fetch() -> bytes:
            async with _web() as web:
                return (await web.get(address)).raise_for_status().content

        return self._simulation.run(fetch)

    async def _open(self) -> None:
        async with _web() as web:
            page = await web.get(self.address)
        assert page.status_code == HTTPStatus.OK, page.text
        found = re.search(r"'client_id': '([0-9a-f-]+)'", page.text)
        assert found is not None
        client = self._client = Client.instances[found[1]]
        emit = client.outbox._emit

        async def watched(message: Any) -> None:
            self._sent(client, message[1], message[2])
            await emit(message)

        client.outbox._emit = watched
        names = {"client_id": client.id, "tab_id": str(uuid4()), "document_id": str(uuid4())}
        assert await _on_handshake(f"test-{uuid4()}", names)

    def _sent(self, client: Client, kind: str, data: Any) -> None:
        """Note what a browser would show, and answer scripts."""
        match kind:
            case "run_javascript":
                code = data["code"]
                if drawn := DRAWN.match(code):
                    self._charts[int(drawn[1])] = json.loads(json.loads(drawn[2]))
                elif moved := MOVED.match(code):
                    self.address = f"/{moved[1]}"
                answer = next((each for begin, each in ANSWERS.items() if code.startswith(begin)), None)
                if "request_id" in data and answer is not None:
                    client.handle_javascript_response({"request_id": data["request_id"], "result": answer})
            case "notify":
                self.notes.append(data["message"])
            case "download":
                self.downloads.append(data["src"])
            case _:
                pass

    def _pause(self) -> None:
        assert self._simulation.errors == []
        time.sleep(0.01)

    def _in_loop(self, function: Callable[[], Any]) -> Any:
        async def call() -> Any:
            with self._client:
                return function()

        return self._simulation.run(call)

    def _elements(self, within: str = "") -> list[Any]:
        """Return the elements of the page, or those of a section."""
        elements = list(self._client.elements.values())
        return [each for found in self._find(within) for each in found.descendants()] if within else elements

    def _find(self, selector: str, within: str = "") -> list[Any]:
        name, elements = selector[1:], self._elements(within)
        if selector.startswith("#"):
            return [each for each in elements if each.props.get("id") == name]
        return [each for each in elements if name in each.classes]

    def _named(self, label: str) -> Any:
        return next(filter(_has_name(label), self._elements()))


def _has_name(label: str) -> Callable[[Any], bool]:
    return lambda each: label in map(each.props.get, ("aria-label", "data-name", "label"))


def _is_shown(element: Any) -> bool:
    """Whether an element is visible and in no closed dialog."""
    around = (element, *element.ancestors())
    return all(each.visible for each in around) and all(each.value for each in around if isinstance(each, ui.dialog))


def _listeners(element: Any, event: str) -> list[Any]:
    return [each for each in element._event_listeners.values() if each.type.partition(".")[0] == event]


def _web() -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(core.app), base_url="http://test", timeout=PATIENCE)


def _source(element: Any) -> str:
    """Return the texts of an element and of those inside, with the HTML of some."""
    if not element.visible:
        return ""
    own = getattr(element, "content", None) or html.escape(str(getattr(element, "text", None) or ""))
    inside = [each for slot in element.slots.values() for each in slot.children]
    return "\n".join(filter(None, (own, *map(_source, inside))))


def _text(element: Any) -> str:
    return _plain(_source(element))


def _plain(source: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", source)).strip()
