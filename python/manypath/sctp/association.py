"""Associations and their paths."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self, SupportsBytes, cast

from manypath import _native
from manypath.arguments import of_kind, span, whole
from manypath.errors import NetworkError, UserError, quoted
from manypath.sctp.counters import AssociationCounters, Blocked, PathCounters
from manypath.sctp.errors import told
from manypath.sctp.events import Events
from manypath.sctp.message import Message, message_of
from manypath.sctp.waiting import finish


@dataclass(frozen=True, slots=True)
class Path(PathCounters):
    """The current state of a path of an association, which is a local address and an address of the peer."""

    local: str
    """The local address."""
    remote: str
    """The peer's address."""
    primary: bool
    """Whether this is the primary path, which carries data while it works, unless all paths carry data concurrently."""
    state: Literal["active", "potentially failed", "failed"]
    """State of the path. A potentially failed path is used only if no path is active. RFC 7829 section 3.2"""
    confirmed: bool
    """Whether the peer has confirmed the address. RFC 9260 section 5.4"""
    mtu: int
    """Path MTU as far as known, bytes."""
    window: int
    """Congestion window, bytes."""
    ssthresh: int
    """Slow-start threshold, bytes."""
    outstanding: int
    """Outstanding data, bytes."""
    srtt: float
    """Smoothed round-trip time, s; 0 before the first measurement."""
    rto: float
    """Retransmission timeout, s."""
    blocked: Blocked
    """Durations for which the path could not send new data, by limit."""


class Association:
    """An association with a peer, over all paths between both endpoints.

    Several tasks may send and receive concurrently. A task that is cancelled while it waits has neither sent nor
    received a message. At its end, ``async with`` calls `close`, or `abort` if an exception leaves the block. An
    association without references is closed in the background.

    After an association has ended other than by a shutdown, all methods raise a subclass of `manypath.NetworkError`
    from this module.
    """

    def __init__(self, association: _native.SctpAssociation, recorder: _native.SctpEndpoint | None = None) -> None:
        """Wrap an association of the engine; `recorder` is the endpoint that writes its events, or None."""
        self._association = association
        self._recorder = recorder
        self._was_aborted = False

    async def send(
        self,
        data: bytes | bytearray | memoryview | SupportsBytes,
        stream: int = 0,
        *,
        unordered: bool = False,
        ppid: int = 0,
        lifetime: str | None = None,
        sack_immediately: bool = False,
    ) -> None:
        """Put a message into the send buffer; wait while the buffer has no room for it.

        Parameters
        ----------
        data
            The message: at least one byte, and at most the size of the send buffer.
        stream
            Number of the stream, from 0. Messages of a stream are delivered in order, independently of other streams.
        unordered
            Deliver the message as soon as it arrives, possibly before earlier messages of the stream.
        ppid
            Payload protocol identifier, which is passed to the peer.
        lifetime
            Discard the message if no part of it was sent within this time (``"500 ms"``); `events` reports it.

        sack_immediately
            Request an immediate SACK for this message and all earlier ones. This saves up to 200 ms if no other message
            is sent before a `shutdown`. RFC 7053 §4.1

        Raises
        ------
        UserError
            If an argument is invalid, or the association has fewer streams.
        NetworkError
            If the association has ended or is being shut down.
        """
        payload = _bytes_of("data", data)
        whole("stream", stream, "number of a stream", below=2**16, right="0 or more, below 65536")
        whole("ppid", ppid, "payload protocol identifier", below=2**32, right="0 or more, below 2^32")
        of_kind("unordered", unordered, bool, "True or False")
        nanoseconds = None if lifetime is None else int(span("lifetime", lifetime))
        of_kind("sack_immediately", sack_immediately, bool, "True or False")
        await finish(self._association.send(payload, stream, ppid, unordered, nanoseconds, sack_immediately))

    async def receive(self) -> Message | None:
        """Wait for the next message and return it; None after the peer's last message.

        If messages are not received, the receive buffer fills up, and the peer must stop sending.

        Raises
        ------
        NetworkError
            If the association has ended other than by a shutdown, and all earlier messages were received.
        """
        row = await finish(self._association.receive())
        return None if row is None else message_of(row)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        message = await self.receive()
        if message is None:
            raise StopAsyncIteration
        return message

    @property
    def paths(self) -> list[Path]:
        """The current paths; those of the first given address come first."""
        rows = self._association.paths()
        return [Path(**{**row, "blocked": Blocked(**row["blocked"])}) for row in rows]

    def set_primary(self, path: Path | int) -> None:
        """Set the primary path, which carries data while it works, unless all paths do: RFC 9260 section 6.4.

        Parameters
        ----------
        path
            One of `paths`, or its index in `paths`.

        Raises
        ------
        UserError
            If the association has no such path.
        """
        known = self.paths
        if isinstance(path, Path):
            ends = [(each.local, each.remote) for each in known]
            if (path.local, path.remote) not in ends:
                raise UserError(
                    f"path: {path.local} to {path.remote} is no path of the association: give one of `paths`"
                )
            number = ends.index((path.local, path.remote))
        else:
            right = f"0 to {len(known) - 1}, or one of `paths`"
            number = whole("path", path, "number of a path", below=max(len(known), 1), right=right)
        try:
            self._association.set_primary(number)
        except _native.SctpError as error:
            raise told(*error.args) from None

    def counters(self) -> AssociationCounters:
        """Return the counters of the association."""
        return AssociationCounters(**self._association.counters())

    @property
    def streams(self) -> int:
        """Number of outgoing streams."""
        return self._association.streams()[0]

    def events(self) -> Events:
        """Start to collect events: failures and recoveries of paths, undeliverable messages, the end."""
        return Events(self._association.events())

    async def shutdown(self) -> None:
        """Shut the association down after all sent messages have arrived, and wait for its end.

        Received messages remain available. If the task is cancelled, the shutdown continues. It ends only after the
        peer has sent all its queued messages: if they exceed the receive buffer, a task must receive them, or `close`
        discards them.

        Raises
        ------
        NetworkError
            If the association ends in another way. The peer may then lack messages.
        """
        await self._end(self._association.shutdown())

    async def close(self) -> None:
        """Shut the association down as `shutdown` does, and discard all messages that the program has not received.

        This includes messages that the peer still sends. If a message was discarded, later calls of `receive` raise
        `Closed`. An association that has already ended keeps its messages.

        Raises
        ------
        NetworkError
            If the association ends in another way. The peer may then lack messages.
        """
        await self._end(self._association.close())

    async def closed(self) -> None:
        """Wait until the association has ended, on either side's initiative.

        Raises
        ------
        NetworkError
            If it did not end by a shutdown.
        """
        await self._end(self._association.closed())

    async def _end(self, operation: _native.SctpOperation) -> None:
        """Wait for the end of an operation, and until the file of events is complete."""
        try:
            await finish(operation)
        except NetworkError:
            await complete_events(self._recorder)
            raise
        await complete_events(self._recorder)

    def abort(self, reason: str | bytes = "") -> None:
        """End the association at once, with an ABORT to the peer. Messages that have not arrived are lost.

        Parameters
        ----------
        reason
            Reason for the peer, truncated to the size of a packet.
        """
        said = reason.encode() if isinstance(reason, str) else of_kind("reason", reason, bytes, "a text or bytes")
        self._was_aborted = True
        self._association.abort(said)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.abort()
        elif not self._was_aborted:
            await self.close()

    def __repr__(self) -> str:
        paths = ", ".join(f"{path.local} to {path.remote}" for path in self.paths)
        return f"<manypath.sctp.Association {paths or 'ended'}>"


async def complete_events(recorder: _native.SctpEndpoint | None) -> None:
    """Wait until the file of events of an endpoint is complete."""
    missed = 0 if recorder is None else await finish(recorder.finish_events())
    if missed:
        warnings.warn(f"events: {missed} are missing, because the disk was too slow", RuntimeWarning, stacklevel=2)


def _bytes_of(name: str, data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    try:
        # `bytes` alone would also accept a number or a list of numbers.
        return bytes(memoryview(cast(bytes, data)))
    except TypeError:
        pass
    if isinstance(data, SupportsBytes):
        return bytes(data)
    raise UserError(f"{name}: {quoted(data)} cannot be converted to bytes: give bytes, such as text.encode()")
