"""The engine's types of messages and options."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

MessageRow: TypeAlias = tuple[bytes, int, int, bool, tuple[int, bool] | None]
"""Payload, stream, payload protocol identifier, unordered; and for a part the number of its message and whether another
part follows."""


class OptionsRow(TypedDict):
    """The fields of `manypath.sctp.Options`: sizes in bytes, times in nanoseconds."""

    send_buffer: int
    receive_buffer: int
    mtu: int
    rto_initial: int
    rto_min: int
    rto_max: int
    heartbeat_interval: int
    path_max_retransmissions: int
    association_max_retransmissions: int
    init_max_retransmissions: int
    sack_every: int
    sack_delay: int
    pacing: bool
    nodelay: bool
