"""Events of an association beside messages."""

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
    """A path became active."""

    local: str
    """Local address of the path."""
    remote: str
    """Address of the peer."""


@dataclass(frozen=True, slots=True)
class PathPotentiallyFailed:
    """A path became potentially failed: active paths are preferred. RFC 7829 section 3.2."""

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
    """The peer restarted the association, such as after a crash; outstanding data is lost. RFC 9260 section 5.2.4."""


@dataclass(frozen=True, slots=True)
class PeerShutdown:
    """The peer shut down its side: it sends no more messages."""


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message or a part of one cannot be delivered, because its lifetime or the association ended."""

    message: Message
    """The message. If parts of it were sent, each chunk is reported separately."""
    sent: bool
    """Whether it was sent, and so may have arrived."""


@dataclass(frozen=True, slots=True)
class SenderDry:
    """The peer has acknowledged all sent data."""


@dataclass(frozen=True, slots=True)
class RemoteError:
    """The peer reported an error that does not end the association. RFC 9260 section 3.3.10."""

    cause: str
    """Error cause."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The association has ended. This is the last event."""

    error: NetworkError | UserError | None
    """Error that ended the association; None after a shutdown."""


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
    """The events of an association since the call of `Association.events`, for ``async for``. The last is `Finished`.

    At most 1024 events are queued; if the reader is slower, the oldest are dropped.
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
    """Convert a row of the engine to an event; None if the event is unknown."""
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
"""Events with the same fields as the engine's, by its names."""
