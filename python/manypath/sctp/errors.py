"""Errors of associations. Invalid arguments raise `manypath.UserError`."""

from __future__ import annotations

from manypath.errors import NetworkError, OutputError, UserError
from manypath.refusal import told as told_setting


class Refused(NetworkError, ConnectionRefusedError):
    """The peer refused the association, or no program on its machine listens on the port."""


class Unreachable(NetworkError):
    """The peer did not answer while the association was opened, or stopped answering on all paths.

    Also raised if a router or this machine has no route to the peer.
    """


class Aborted(NetworkError, ConnectionAbortedError):
    """One side aborted the association. Sent messages may not have arrived."""


class Closed(NetworkError):
    """The operation is impossible because the association was shut down or the endpoint is closed."""


def told(kind: str, line: str) -> UserError | NetworkError:
    """Convert an error of the engine (kind and message) to an exception for users."""
    if kind == "output":
        return OutputError(line)
    if kind in NETWORK:
        return NETWORK[kind](line)
    before, after = WRONG[kind]
    return UserError(told_setting(f"{before}{line}{after}"))


NETWORK: dict[str, type[NetworkError]] = {
    "aborted": Aborted,
    "closed": Closed,
    "failed": NetworkError,
    "refused": Refused,
    "unreachable": Unreachable,
}
"""Exceptions for errors of the network or the peer, by the engine's kinds."""

WRONG = {
    "empty": ("data: ", ""),
    "in_use": ("encapsulation: ", ": give another port, or 0 for a free one"),
    "input": ("", ""),
    "no_route": ("addresses: ", ": give `local` addresses of the same family, in a network with a route to the peer"),
    "no_such_stream": ("stream: ", ""),
    "not_local": ("local: ", ": give an address of an interface"),
    "too_large": ("data: ", ": send it in several messages"),
}
"""Texts before and after the engine's message about an invalid argument, by its kinds."""
