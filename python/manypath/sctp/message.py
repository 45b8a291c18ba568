"""Messages as they arrive."""

from __future__ import annotations

from dataclasses import dataclass

from manypath.sctp.rows import MessageRow


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the peer; ``bytes(message)`` is its payload."""

    payload: bytes
    """The data, at least one byte."""
    stream: int = 0
    """Number of the stream, from 0."""
    ppid: int = 0
    """Payload protocol identifier, which SCTP only carries. RFC 9260 section 3.3.1"""
    unordered: bool = False
    """It did not wait for earlier messages of its stream."""
    part_of: int | None = None
    """A number that the parts of one message share, or None for a whole message. A message comes in parts only if it is
    larger than the receive buffer; other messages may come between its parts."""
    more_follows: bool = False
    """Another part of the same message will follow."""

    def __bytes__(self) -> bytes:
        return self.payload

    def __len__(self) -> int:
        return len(self.payload)


def message_of(row: MessageRow) -> Message:
    """Return the message of a row of the engine."""
    payload, stream, ppid, unordered, part = row
    part_of, more_follows = part or (None, False)
    return Message(payload, stream, ppid, unordered, part_of, more_follows)
