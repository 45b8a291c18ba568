"""Counters of associations and endpoints, from their start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssociationCounters:
    """Counters of an association. `Path` has the counters of each path."""

    packets_sent: int
    """All packets sent."""
    packets_received: int
    """All packets received."""
    data_packets: int
    """Data packets sent."""
    data_chunks_sent: int
    """DATA chunks sent, retransmissions included."""
    retransmitted_chunks: int
    """Retransmitted DATA chunks."""
    messages_sent: int
    """Messages that the program passed to `send`."""
    messages_received: int
    """Messages that the program received."""
    messages_expired: int
    """Messages whose lifetime ended before a part of them was sent."""
    bytes_sent: int
    """Payload that the program passed to `send`, bytes."""
    bytes_received: int
    """Payload that the program received, bytes."""
    sacks_sent: int
    """SACKs sent."""
    sacks_received: int
    """SACKs received."""
    stale_sacks: int
    """SACKs that arrived after a newer one."""
    timeouts: int
    """Retransmission timers that expired."""
    timer_retransmissions: int
    """Chunks marked for retransmission by a timeout."""
    fast_retransmissions: int
    """Chunks marked for fast retransmission. RFC 9260 section 7.2.4"""
    spurious_fast_retransmissions: int
    """Fast retransmissions that the peer reported as duplicates."""
    spurious_bursts: int
    """SACKs that caused at least two spurious fast retransmissions."""
    probe_retransmissions: int
    """Chunks that were dropped at a full receive buffer of the peer, and sent again when it had room."""
    reported_chunks: int
    """Chunks marked for retransmission because the peer reported a damaged packet."""
    rescheduled_chunks: int
    """Chunks that another path retransmitted because they blocked its buffer."""
    duplicate_chunks: int
    """Duplicate DATA chunks received."""
    refused_chunks: int
    """DATA chunks dropped because the receive buffer was full."""
    given_up_chunks: int
    """Received DATA chunks that were discarded for others in a full receive buffer (reneging); the peer sends them
    again."""
    damaged_packets: int
    """Damaged packets received."""
    drop_reports_sent: int
    """Packet drop reports sent."""
    drop_reports: int
    """Packet drop reports received."""


@dataclass(frozen=True, slots=True)
class EndpointCounters:
    """Counters of an endpoint, in SCTP packets."""

    packets_sent: int
    """Packets sent by all associations."""
    dropped_packets: int
    """Sent packets that the system refused, or for which a socket buffer had no room."""
    packets_received: int
    """Packets received for the endpoint's port."""
    foreign_packets: int
    """Packets received for other SCTP ports and refused."""
    malformed_packets: int
    """Malformed packets received. RFC 9260 section 3"""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Durations for which a path could not send new data, in seconds, by the first limit that it reached."""

    path: float
    """The path was not confirmed, had failed, or was a standby path."""
    window: float
    """The congestion window was full."""
    send_buffer: float
    """The send buffer had no unsent data, because the program sent none or the buffer was full."""
    split_share: float
    """The path had used its share of the divided buffers."""
    receive_window: float
    """The peer's receive window was full."""
    pacing: float
    """The next packet was not due (`Options.pacing`)."""
