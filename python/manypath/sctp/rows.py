"""What the engine tells of messages and paths, as it tells it."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

MessageRow: TypeAlias = tuple[bytes, int, int, bool, tuple[int, bool] | None]
"""Payload, stream, payload protocol identifier, unordered, and of a part the number of its message and whether another
part follows."""


class PathRow(TypedDict):
    """A path: the fields of `manypath.sctp.Path`, spans in nanoseconds."""

    local: str
    remote: str
    primary: bool
    state: Literal["active", "potentially failed", "failed"]
    confirmed: bool
    window: int
    outstanding: int
    srtt: int
    rto: int
    sent: int
    retransmitted: int
    timeouts: int
    acknowledged: int
    received: int
