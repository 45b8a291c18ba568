"""What can go wrong with an association. Wrong arguments are a `manypath.UserError`."""

from __future__ import annotations

from manypath.errors import NetworkError, OutputError, UserError
from manypath.refusal import told as told_setting


class Refused(NetworkError, ConnectionRefusedError):
    """The peer does not want the association, or no program of its machine listens there."""


class Unreachable(NetworkError):
    """The peer did not answer while the association was opened, or no longer answers on any path.

    Also: a router, or this machine, knows no way to the peer.
    """


class Aborted(NetworkError, ConnectionAbortedError):
    """The peer or this side ended the association at once. What was under way may not have arrived."""


class Closed(NetworkError):
    """The association was shut down in order, or the endpoint is closed, so that this cannot be done any more."""


def told(kind: str, line: str) -> UserError | NetworkError:
    """Turn an error of the engine, a word and a line, into the exception for users."""
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
"""The classes of what the network or the peer does, by the engine's words."""

WRONG = {
    "empty": ("data: ", ""),
    "in_use": ("encapsulation: ", ": give another port, or 0 for a free one"),
    "input": ("", ""),
    "no_route": ("addresses: ", ": give `local` addresses of the same family, in a network that leads there"),
    "no_such_stream": ("stream: ", ""),
    "not_local": ("local: ", ": give one that an interface has"),
    "too_large": ("data: ", ": send it in several messages"),
}
"""What is put before and behind the engine's line about a wrong argument, by its words."""
