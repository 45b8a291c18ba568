"""The engine's types of messages, options and paths."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

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


class PathRow(TypedDict):
    """The fields of `manypath.sctp.Path`, times in nanoseconds."""

    local: str
    remote: str
    primary: bool
    state: Literal["active", "potentially failed", "failed"]
    confirmed: bool
    mtu: int
    window: int
    ssthresh: int
    outstanding: int
    srtt: int
    rto: int
    data_chunks_sent: int
    retransmitted_chunks: int
    timeouts: int
    bytes_acked: int
    bytes_received: int
    data_packets: int
    data_packets_received: int
    wire_bytes_sent: int
    mtu_probes: int
    fast_retransmissions: int
    window_cuts: int
    potentially_failed: int
    sacks_sent: int
    rescheduled_chunks: int
    blocked: dict[str, int]
