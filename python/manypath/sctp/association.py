"""A conversation with one peer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, SupportsBytes, cast

from manypath import _native
from manypath.arguments import of_kind, span, whole
from manypath.errors import NetworkError, UserError, quoted
from manypath.sctp.counters import AssociationCounters, Blocked
from manypath.sctp.errors import told
from manypath.sctp.events import Events
from manypath.sctp.message import Message, message_of
from manypath.sctp.rows import PathRow
from manypath.sctp.waiting import finish


@dataclass(frozen=True, slots=True)
class Path:
    """A path of an association as it is now: a local address and one of the peer's."""

    local: str
    """The local address."""
    remote: str
    """The peer's address."""
    primary: bool
    """Data takes this path while it works, unless all paths carry data at once."""
    state: Literal["active", "potentially failed", "failed"]
    """Whether it works. Others are preferred to one that may have failed. RFC 7829 section 3.2"""
    confirmed: bool
    """The peer has shown that the address is its own. RFC 9260 section 5.4"""
    mtu: int
    """Largest IP packet that it takes as far as known, bytes."""
    window: int
    """Congestion window, bytes."""
    ssthresh: int
    """Slow-start threshold, bytes."""
    outstanding: int
    """What was sent and is not acknowledged, bytes."""
    srtt: float
    """Smoothed round-trip time, s; 0 before the first measurement."""
    rto: float
    """Retransmission timeout, s."""
    sent: int
    """DATA chunks sent, retransmissions included."""
    retransmitted: int
    """Those among them that had been sent before, on any path."""
    timeouts: int
    """Retransmission timers that expired."""
    acknowledged: int
    """Bytes of payload that the peer acknowledged, and that this path carried last."""
    received: int
    """Bytes of payload that came over this path."""
    packets_sent: int
    """Packets with data sent."""
    packets_received: int
    """Packets with data received."""
    wire_bytes_sent: int
    """Bytes of the packets with data that were sent, with all headers from IP on."""
    fast_retransmissions: int
    """Chunks that fast retransmission marked. RFC 9260 section 7.2.4"""
    window_cuts: int
    """Times that fast retransmission cut the window."""
    potentially_failed: int
    """Times that it may have failed. RFC 7829 section 3.2"""
    sacks_sent: int
    """Acknowledgements sent on it."""
    rescheduled: int
    """Chunks that it took over from another path because they blocked its buffer."""
    blocked: Blocked
    """How long it could not send new data so far, and why."""


class Association:
    """A conversation with one peer, over all paths between both sides.

    Several tasks may send and receive at once. A task that is cancelled while it waits has neither sent nor taken a
    message. ``async with`` closes the association at its end as `close` does, or aborts it if an exception leaves the
    block. An association that nothing refers to any more is closed in the background.

    All methods raise `manypath.NetworkError`, by one of its classes in this module, once the association has ended in
    another way than by a shutdown.
    """

    def __init__(self, association: _native.SctpAssociation, recorder: _native.SctpEndpoint | None = None) -> None:
        """Wrap one of the engine; `recorder` is an endpoint that writes the events of this association alone."""
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
        """Hand a message over; wait while the send buffer has no room for it.

        Parameters
        ----------
        data
            What is sent: at least one byte, and not more than the send buffer holds.
        stream
            Number of the stream, from 0. Messages of one stream arrive in their order, whatever other streams wait for.
        unordered
            Deliver it as soon as it is there, before earlier messages of the stream if need be.
        ppid
            Payload protocol identifier, which the peer gets as it is.
        lifetime
            Drop the message if nothing of it was sent after so long (``"500 ms"``); `events` tells of it.

        sack_immediately
            Ask the peer to acknowledge this message and all earlier ones without delay. This saves up to 200 ms if
            nothing else is sent before a `shutdown`. RFC 7053 §4.1

        Raises
        ------
        UserError
            If an argument cannot be, or the association has fewer streams.
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
        """Wait for the next message; None once the peer sends nothing more.

        While nothing calls it, the receive buffer fills, and then the peer has to wait.

        Raises
        ------
        NetworkError
            If the association has ended in another way than by a shutdown. Messages that arrived before come first.
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
        """The paths as they are now, those of the address that was named first in front."""
        return [_path_of(row) for row in self._association.paths()]

    def set_primary(self, path: Path | int) -> None:
        """Make data take a path while it works, unless all paths carry data at once: RFC 9260 section 6.4.

        Parameters
        ----------
        path
            One of `paths`, or its place among them, from 0.

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
        """Return what the association has done so far."""
        return AssociationCounters(**self._association.counters())

    @property
    def streams(self) -> int:
        """How many streams this side can send on."""
        return self._association.streams()[0]

    def events(self) -> Events:
        """Begin to collect events: paths that fail and recover, messages that could not be delivered, the end."""
        return Events(self._association.events())

    async def shutdown(self) -> None:
        """Close the association once everything that was sent has arrived, and wait for that.

        What has arrived can still be received. If the task is cancelled, the shutdown goes on. It ends only after the
        peer has sent all that it has queued: if that is more than the receive buffer holds, a task must receive it, or
        `close` discards it.

        Raises
        ------
        NetworkError
            If the association ends in another way: then the peer may not have everything.
        """
        await self._end(self._association.shutdown())

    async def close(self) -> None:
        """Do as `shutdown` does, and discard all messages that were not received.

        These are the messages that have arrived and those that the peer still sends. If there was any, `receive` raises
        `Closed` from then on. An association that has ended already keeps its messages.

        Raises
        ------
        NetworkError
            If the association ends in another way: then the peer may not have everything.
        """
        await self._end(self._association.close())

    async def closed(self) -> None:
        """Wait until the association has ended, by either side.

        Raises
        ------
        NetworkError
            If it did not end by a shutdown.
        """
        await self._end(self._association.closed())

    async def _end(self, operation: _native.SctpOperation) -> None:
        """Wait for the end, and for the file of events."""
        try:
            await finish(operation)
        except NetworkError:
            await complete_events(self._recorder)
            raise
        await complete_events(self._recorder)

    def abort(self, reason: str | bytes = "") -> None:
        """End the association at once, and tell the peer why. What was sent and has not arrived is lost.

        Parameters
        ----------
        reason
            What the peer is told, as far as it fits into a packet.
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


def _path_of(row: PathRow) -> Path:
    """Return the path of a row of the engine, whose spans are in nanoseconds."""
    blocked = Blocked(**{reason: span / 1e9 for reason, span in row["blocked"].items()})
    fields: dict[str, Any] = {**row, "srtt": row["srtt"] / 1e9, "rto": row["rto"] / 1e9, "blocked": blocked}
    return Path(**fields)


async def complete_events(recorder: _native.SctpEndpoint | None) -> None:
    """Wait until the file of events of an endpoint is complete."""
    missed = 0 if recorder is None else await finish(recorder.finish_events())
    if missed:
        warnings.warn(f"events: {missed} are missing because the disk was too slow", RuntimeWarning, stacklevel=2)


def _bytes_of(name: str, data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    try:
        # A number, or a list of numbers, would be taken for bytes, too
        return bytes(memoryview(cast(bytes, data)))
    except TypeError:
        pass
    if isinstance(data, SupportsBytes):
        return bytes(data)
    raise UserError(f"{name}: {quoted(data)} is not made of bytes: give bytes, such as text.encode()")
