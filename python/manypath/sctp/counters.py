"""Counters of associations, of their paths and of endpoints, from their start.

`make docs` writes this file, with the engine's names and meanings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssociationCounters:
    """Counters of an association. `Path` has the counters of each path."""

    fast_retransmissions: int
    """DATA chunks that fast retransmission marked."""
    timeouts: int
    """Expiries of T3, the retransmission timer."""
    retransmitted_chunks: int
    """Retransmitted DATA chunks."""
    duplicate_chunks: int
    """DATA chunks that arrived more than once."""
    spurious_fast_retransmissions: int
    """Spurious fast retransmissions: the peer reported the chunk as a duplicate."""
    spurious_bursts: int
    """SACKs that caused at least two spurious fast retransmissions."""
    rescheduled_chunks: int
    """DATA chunks that were moved to another path because they blocked its buffer."""
    damaged_packets: int
    """Packets that arrived damaged."""
    drop_reports: int
    """Packet drop reports that arrived."""
    reported_chunks: int
    """DATA chunks that a packet drop report marked for retransmission."""
    refused_chunks: int
    """DATA chunks dropped because the receive buffer was full."""
    given_up_chunks: int
    """Received DATA chunks that were dropped to make room for others in a full receive buffer (reneging)."""
    packets_sent: int
    """Packets sent, of any kind."""
    packets_received: int
    """Packets received, of any kind."""
    data_packets: int
    """Packets with DATA sent."""
    data_chunks_sent: int
    """DATA chunks sent, retransmissions included."""
    sacks_sent: int
    """SACKs sent."""
    sacks_received: int
    """SACKs received."""
    stale_sacks: int
    """SACKs that arrived after a newer one and were ignored."""
    timer_retransmissions: int
    """Chunks that a timer marked for retransmission."""
    drop_reports_sent: int
    """Packet drop reports sent."""
    probe_retransmissions: int
    """Chunks that the peer's full receive buffer dropped, marked for retransmission when it has room again."""
    messages_expired: int
    """Messages that expired before their first transmission."""
    messages_sent: int
    """Messages that the application sent."""
    bytes_sent: int
    """Payload bytes that the application sent."""
    messages_received: int
    """Messages delivered to the application."""
    bytes_received: int
    """Payload bytes delivered to the application."""


@dataclass(frozen=True, slots=True)
class PathCounters:
    """Counters of a path of an association."""

    window_cuts: int
    """Window cuts by fast retransmission, or by rescheduling as in INET."""
    fast_retransmissions: int
    """DATA chunks that fast retransmission marked on the path."""
    timeouts: int
    """Expiries of T3, the retransmission timer."""
    rescheduled_chunks: int
    """DATA chunks that were moved to this path because they blocked its buffer."""
    data_packets: int
    """Packets with DATA sent on the path."""
    wire_bytes_sent: int
    """Bytes of these packets on the network layer, IP header included."""
    mtu_probes: int
    """Probes of the path's MTU."""
    data_chunks_sent: int
    """DATA chunks sent on the path, retransmissions included."""
    retransmitted_chunks: int
    """Chunks of `data_chunks_sent` that had been sent before, on any path."""
    data_packets_received: int
    """Packets with DATA received on the path."""
    bytes_received: int
    """New payload bytes received on the path."""
    bytes_acked: int
    """Acknowledged payload bytes whose last transmission used the path."""
    potentially_failed: int
    """Times the path became potentially failed. RFC 7829 section 3.2"""
    sacks_sent: int
    """SACKs sent on the path."""


@dataclass(frozen=True, slots=True)
class EndpointCounters:
    """Counters of an endpoint, in SCTP packets."""

    packets_sent: int
    """Packets sent by all associations."""
    dropped_packets: int
    """Sent packets that the system refused, or that were dropped because a socket was blocked."""
    packets_received: int
    """Packets received for the endpoint's SCTP port."""
    malformed_packets: int
    """Received malformed packets. RFC 9260 section 3"""
    foreign_packets: int
    """Packets received for SCTP ports without an endpoint, counted by the host: answered with ABORT inside UDP, ignored
    in raw IP. RFC 9260 section 8.4"""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Durations for which a path could not send new data, in seconds, by the first limit that it reached."""

    path: float
    """The path paused, was unconfirmed, had failed, or was a standby path."""
    window: float
    """The congestion window was full, or the burst limit reached."""
    send_buffer: float
    """No packet of data waited because the send buffer was full, or 32,768 chunks were outstanding."""
    split_share: float
    """The path had used its share of a divided buffer."""
    receive_window: float
    """The peer's receive window was full."""
    pacing: float
    """The departure time of the next packet had not come (pacing)."""
