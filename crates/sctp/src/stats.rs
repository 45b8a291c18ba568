//! Counters of associations and streams, which are always enabled.

use manypath_core::Span;

/// Counters of an association.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Stats {
    /// Packets sent, of any kind.
    pub packets_sent: u64,
    /// Packets received, of any kind.
    pub packets_received: u64,
    /// Packets with DATA sent.
    pub data_packets_sent: u64,
    /// DATA chunks sent, retransmissions included.
    pub data_chunks_sent: u64,
    /// DATA chunks of these that were retransmissions.
    pub data_chunks_sent_again: u64,
    /// SACKs sent.
    pub sacks_sent: u64,
    /// SACKs received.
    pub sacks_received: u64,
    /// SACKs that arrived after a newer one and were ignored.
    pub stale_sacks: u64,
    /// Chunks that fast retransmission marked for retransmission.
    pub fast_retransmissions: u64,
    /// Chunks that a timer marked for retransmission.
    pub timer_retransmissions: u64,
    /// Expiries of T3.
    pub timeouts: u64,
    /// DATA chunks that arrived more than once.
    pub duplicates_received: u64,
    /// DATA chunks dropped because the receive buffer was full.
    pub dropped_no_buffer: u64,
    /// Received DATA chunks that were dropped to make room in a full receive buffer; the peer must retransmit them.
    pub given_up: u64,
    /// Spurious fast retransmissions: the peer reported the chunk as a duplicate.
    pub spurious_fast_retransmissions: u64,
    /// SACKs that caused at least two spurious fast retransmissions.
    pub spurious_bursts: u64,
    /// Packets that arrived damaged.
    pub damaged_received: u64,
    /// Packet drop reports sent.
    pub drop_reports_sent: u64,
    /// Packet drop reports received.
    pub drop_reports_received: u64,
    /// Chunks that a drop report marked for retransmission.
    pub drop_report_retransmissions: u64,
    /// Chunks that the peer's full receive buffer dropped, marked for retransmission when it has room again.
    pub probe_retransmissions: u64,
    /// Chunks that were rescheduled to another path because they blocked its buffer.
    pub rescheduled: u64,
    /// Messages that expired before their first transmission.
    pub messages_expired: u64,
    /// Messages that the application sent.
    pub messages_sent: u64,
    /// Payload bytes that the application sent.
    pub bytes_sent: u64,
    /// Messages delivered to the application.
    pub messages_received: u64,
    /// Payload bytes delivered to the application.
    pub bytes_received: u64,
}

/// Head-of-line blocking on one inbound stream: complete ordered messages that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StreamStats {
    /// Ordered messages offered to the application.
    pub messages: u64,
    /// Messages of these that were complete but had to wait.
    pub waited: u64,
    /// Total waiting time of these.
    pub waiting: Span,
    /// Time during which at least one complete message waited.
    pub blocked: Span,
    /// Complete messages that are waiting; they are not counted in `waited` and `waiting` yet.
    pub waits: u32,
}

/// The part of the receive buffer that the application cannot read yet: fragments of incomplete messages, and complete
/// messages that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ReorderStats {
    /// Current payload bytes.
    pub bytes: u64,
    /// Largest number of payload bytes so far.
    pub most_bytes: u64,
    /// Integral over time in bytes times nanoseconds. Its growth between two readings divided by the time between them
    /// is the mean occupancy.
    pub byte_nanos: u128,
}
