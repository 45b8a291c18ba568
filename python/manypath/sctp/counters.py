"""What associations and endpoints count from their beginnings on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssociationCounters:
    """What an association has done so far. What each path carried is in `Path`."""

    packets_sent: int
    """Packets sent, of any kind."""
    packets_received: int
    """Packets received, of any kind."""
    data_packets_sent: int
    """Packets with DATA sent."""
    data_chunks_sent: int
    """DATA chunks sent, retransmissions included."""
    data_chunks_sent_again: int
    """Those among them that had been sent before."""
    messages_sent: int
    """Messages that were handed over to be sent."""
    messages_received: int
    """Messages that were received by the program."""
    messages_expired: int
    """Messages whose lifetime ended before anything of them was sent."""
    bytes_sent: int
    """Bytes of payload that were handed over to be sent."""
    bytes_received: int
    """Bytes of payload that were received by the program."""
    sacks_sent: int
    """Acknowledgements sent."""
    sacks_received: int
    """Acknowledgements received."""
    stale_sacks: int
    """Acknowledgements that arrived after a newer one."""
    timeouts: int
    """Retransmission timers that expired."""
    timer_retransmissions: int
    """Chunks that were marked for retransmission by a timer."""
    fast_retransmissions: int
    """Chunks that were marked by fast retransmission. RFC 9260 section 7.2.4"""
    spurious_fast_retransmissions: int
    """Fast retransmissions that the peer reported as duplicates."""
    probe_retransmissions: int
    """Chunks that found the peer's receive buffer full and were sent again as soon as there was room."""
    drop_report_retransmissions: int
    """Chunks that were marked because the peer reported a damaged packet."""
    rescheduled: int
    """Chunks that another path took over because they blocked its buffer."""
    duplicates_received: int
    """DATA chunks that had arrived before."""
    dropped_no_buffer: int
    """DATA chunks that were dropped because the receive buffer was full."""
    given_up: int
    """DATA chunks that had arrived and made way for others in a full receive buffer: the peer sends them again."""
    damaged_received: int
    """Packets that arrived damaged."""
    drop_reports_sent: int
    """Packet drop reports sent."""
    drop_reports_received: int
    """Packet drop reports received."""


@dataclass(frozen=True, slots=True)
class EndpointCounters:
    """What an endpoint has done so far, in packets of SCTP."""

    sent: int
    """Packets sent, of any association."""
    dropped: int
    """Those among them that the system refused, or for which a socket had no room."""
    received: int
    """Packets received for the endpoint's port."""
    foreign: int
    """Packets received for other SCTP ports, which were refused."""
    malformed: int
    """Received packets that break a rule of the wire format. RFC 9260 section 3"""


@dataclass(frozen=True, slots=True)
class Blocked:
    """How long a path could not send new data so far, in seconds, by what stopped it first."""

    path: float
    """It was not confirmed, had failed, or stood by while another path carried data."""
    window: float
    """Its congestion window was full."""
    send_buffer: float
    """The program handed nothing over, or the send buffer had no room for it."""
    split_share: float
    """It had used up its share of the buffers."""
    receive_window: float
    """The peer's receive buffer was full."""
    pacing: float
    """Its next packet was not due yet (`Options.pacing`)."""
