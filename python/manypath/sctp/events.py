"""What an association tells beside messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from manypath import _native
from manypath.errors import NetworkError, UserError
from manypath.sctp.errors import told
from manypath.sctp.message import Message, message_of
from manypath.sctp.waiting import finish


@dataclass(frozen=True, slots=True)
class PathUp:
    """A path works, or works again."""

    local: str
    """Local address of the path."""
    remote: str
    """Address of the peer."""


@dataclass(frozen=True, slots=True)
class PathPotentiallyFailed:
    """A path may have failed: others are preferred. RFC 7829 section 3.2."""

    local: str
    """Local address of the path."""
    remote: str
    """Address of the peer."""


@dataclass(frozen=True, slots=True)
class PathDown:
    """A path has failed."""

    local: str
    """Local address of the path."""
    remote: str
    """Address of the peer."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """The peer opened the association again, as after a crash; what was outstanding is lost. RFC 9260 section 5.2.4."""


@dataclass(frozen=True, slots=True)
class PeerShutdown:
    """The peer sends nothing more."""


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message, or a part of one, will not reach the peer: its lifetime passed, or the association ended."""

    message: Message
    """The message. If parts of it were sent, each chunk is reported by itself."""
    sent: bool
    """It was sent, so it may have arrived all the same."""


@dataclass(frozen=True, slots=True)
class SenderDry:
    """The peer has acknowledged everything."""


@dataclass(frozen=True, slots=True)
class RemoteError:
    """The peer reports an error that does not end the association. RFC 9260 section 3.3.10."""

    cause: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The association has ended; nothing follows."""

    error: NetworkError | UserError | None
    """Why, unless both sides shut it down in order."""


Event: TypeAlias = (
    PathUp
    | PathPotentiallyFailed
    | PathDown
    | Restarted
    | PeerShutdown
    | SendFailed
    | SenderDry
    | RemoteError
    | Finished
)
"""Any event of an association."""


class Events(AsyncIterator[Event]):
    """The events of an association from when it was asked for them, for ``async for``. It ends after `Finished`.

    A reader that is more than 1024 events behind misses the oldest.
    """

    def __init__(self, events: _native.SctpEvents) -> None:
        self._events = events

    async def __anext__(self) -> Event:
        while (row := await finish(self._events.next())) is not None:
            event = _event_of(*row)
            if event is not None:
                return event
        raise StopAsyncIteration


def _event_of(name: str, *told_of: Any) -> Event | None:
    """Return the event of a row of the engine; None if this version does not know it."""
    if name == "send_failed":
        message, sent = told_of
        return SendFailed(message_of(message), sent)
    if name == "closed":
        (error,) = told_of
        return Finished(None if error is None else told(*error))
    kind = KINDS.get(name)
    return None if kind is None else kind(*told_of)


KINDS: dict[str, type] = {
    "path_down": PathDown,
    "path_potentially_failed": PathPotentiallyFailed,
    "path_up": PathUp,
    "peer_shutdown": PeerShutdown,
    "remote_error": RemoteError,
    "restarted": Restarted,
    "sender_dry": SenderDry,
}
"""Events that tell what the engine tells, by its words."""
