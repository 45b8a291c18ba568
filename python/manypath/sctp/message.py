"""Received messages."""

from __future__ import annotations

from dataclasses import dataclass

from manypath.sctp.rows import MessageRow


@dataclass(frozen=True, slots=True)
class Message:
    """A message from the peer; ``bytes(message)`` is its payload."""

    payload: bytes
    """The data, at least one byte."""
    stream: int = 0
    """Number of the stream, from 0."""
    ppid: int = 0
    """Payload protocol identifier, which SCTP does not interpret. RFC 9260 section 3.3.1"""
    unordered: bool = False
    """Whether it was delivered without waiting for earlier messages of its stream."""
    part_of: int | None = None
    """Number that identifies the message of a part; None for a whole message. Only messages larger than the receive
    buffer are delivered in parts; other messages may be delivered between them."""
    more_follows: bool = False
    """Whether another part of the same message follows."""

    def __bytes__(self) -> bytes:
        return self.payload

    def __len__(self) -> int:
        return len(self.payload)


def message_of(row: MessageRow) -> Message:
    """Convert a row of the engine to a message."""
    payload, stream, ppid, unordered, part = row
    part_of, more_follows = part or (None, False)
    return Message(payload, stream, ppid, unordered, part_of, more_follows)
