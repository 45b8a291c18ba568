"""The server of the page: loopback only, below an address with a random token."""

from __future__ import annotations

import errno
import logging
import secrets
import socket
import warnings
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI
from nicegui import app as pages
from nicegui import ui
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles
from typing_extensions import override

from manypath import documentation
from manypath.errors import UserError
from manypath.explore.live.follower import Follower
from manypath.explore.live.page import LivePage
from manypath.explore.moves import CLOSING
from manypath.explore.page import Page
from manypath.explore.parts import DOCUMENTATION
from manypath.explore.state import State

RECONNECT = 15.0
"""Time without a connection after which the server removes a tab and cancels its run, seconds. On a loaded machine a
browser may answer late. A page that was removed loads again."""

HISTORY = 50
"""Messages to a tab that are kept for a reconnection. A chart takes about 100 kB."""

HOST = "127.0.0.1"
"""The only address of the server."""


def serve(first: State, port: int, follower: Follower | None, ready: Callable[[str], object]) -> None:
    """Serve the page until Ctrl-C; `ready` receives its address.

    Raises
    ------
    UserError
        If the port is taken.
    """
    _quiet_logs()
    # The browser has the letters of names that the font of the layout lacks.
    warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
    listener = _listener(port)
    token = secrets.token_urlsafe(16)
    address = f"http://{HOST}:{listener.getsockname()[1]}/{token}"
    # On the same machine compression takes longer than it saves.
    config = uvicorn.Config(
        _app(token, first, follower), log_level="error", lifespan="on", ws_per_message_deflate=False
    )
    server = _Server(config)
    CLOSING.clear()
    ready(address)
    try:
        server.run(sockets=[listener])
    finally:
        CLOSING.set()


def _quiet_logs() -> None:
    """Keep out of the terminal what users can neither cause nor change."""
    # A request for another address would be a warning.
    logging.getLogger("nicegui").setLevel(logging.ERROR)
    # On a busy machine the tasks of pages end later than two seconds after Ctrl-C. They are waited for.
    logging.getLogger("nicegui").addFilter(lambda record: "Could not cancel" not in record.getMessage())
    # A WebSocket that is refused because its page has another host would be an error.
    logging.getLogger("uvicorn.error").addFilter(lambda record: "completing handshake" not in record.getMessage())


class _Server(uvicorn.Server):
    """A server whose runs end at the first signal, so that pages do not wait for a processor when they are closed."""

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        CLOSING.set()
        super().handle_exit(sig, frame)


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        # Connections wait until the server takes them.
        listener.listen()
    except OSError as error:
        listener.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        raise UserError(f"--port: {port} {why}: give another one, or 0 for a free one") from None
    return listener


def _app(token: str, first: State, follower: Follower | None) -> FastAPI:
    """Return the application with the page. Requests of other hosts' pages are refused."""
    app = FastAPI(openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])

    @ui.page(f"/{token}", title="manypath explore", response_timeout=30.0)
    async def _page(s: str = "", kept: str = "") -> None:
        await (Page(first).show(s, kept) if follower is None else LivePage(follower).show())

    add_documentation(app)
    pages.add_exception_handler(404, _without_page)
    # Pages of the browser reconnect within this time. Later the server removes them and their runs.
    ui.run_with(
        app,
        tailwind=False,
        reconnect_timeout=RECONNECT,
        message_history_length=HISTORY,
        show_welcome_message=False,
        favicon=ICON,
    )
    pages.config.quasar_config["brand"] = {"primary": "#0072b2", "secondary": "#009e73", "negative": "#b3261e"}
    return app


def add_documentation(app: FastAPI) -> None:
    """Serve the documentation of the package, if it is built."""
    if documentation.SITE.is_dir():
        app.mount(DOCUMENTATION, StaticFiles(directory=documentation.SITE, html=True))


async def _without_page(_request: Request, _error: Exception) -> PlainTextResponse:
    """Answer a request for another address, such as that of a copied link after the server was started again."""
    return PlainTextResponse(NO_PAGE, status_code=404)


NO_PAGE = """There is no page at this address. Each start of manypath explore has an address with another token.
Open the address that the terminal shows. To restore the state of a copied link, append its part from ?s= on.
"""
"""The answer to other addresses."""

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 16C9 4 23 4 29 16" fill="none" '
    'stroke="#0072b2" stroke-width="4"/><path d="M3 16C9 28 23 28 29 16" fill="none" stroke="#d55e00" '
    'stroke-width="4"/></svg>'
)
"""The icon of the page: two paths."""
