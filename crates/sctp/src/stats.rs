//! Counters of associations and streams, which are always enabled.

use manypath_core::{Span, counters};

counters! {
    /// Counters of an association.
    Stats {
        /// DATA chunks that fast retransmission marked.
        fast_retransmissions: Source,
        /// Expiries of T3, the retransmission timer.
        timeouts: Source,
        /// Retransmitted DATA chunks.
        retransmitted_chunks: Source,
        /// DATA chunks that arrived more than once.
        duplicate_chunks: Sink,
        /// Spurious fast retransmissions: the peer reported the chunk as a duplicate.
        spurious_fast_retransmissions: Source,
        /// SACKs that caused at least two spurious fast retransmissions.
        spurious_bursts: Source,
        /// DATA chunks that were moved to another path because they blocked its buffer.
        rescheduled_chunks: Source,
        /// Packets that arrived damaged.
        damaged_packets: Both,
        /// Packet drop reports that arrived.
        drop_reports: Source,
        /// DATA chunks that a packet drop report marked for retransmission.
        reported_chunks: Source,
        /// DATA chunks dropped because the receive buffer was full.
        refused_chunks: Sink,
        /// Received DATA chunks that were dropped to make room for others in a full receive buffer (reneging).
        given_up_chunks: Sink,
        /// Packets sent, of any kind.
        packets_sent,
        /// Packets received, of any kind.
        packets_received,
        /// Packets with DATA sent.
        data_packets,
        /// DATA chunks sent, retransmissions included.
        data_chunks_sent,
        /// SACKs sent.
        sacks_sent,
        /// SACKs received.
        sacks_received,
        /// SACKs that arrived after a newer one and were ignored.
        stale_sacks,
        /// Chunks that a timer marked for retransmission.
        timer_retransmissions,
        /// Packet drop reports sent.
        drop_reports_sent,
        /// Chunks that the peer's full receive buffer dropped, marked for retransmission when it has room again.
        probe_retransmissions,
        /// Messages that expired before their first transmission.
        messages_expired,
        /// Messages that the application sent.
        messages_sent,
        /// Payload bytes that the application sent.
        bytes_sent,
        /// Messages delivered to the application.
        messages_received,
        /// Payload bytes delivered to the application.
        bytes_received,
    }
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
