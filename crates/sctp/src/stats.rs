//! Counters, which are always enabled.

use manypath_core::Span;

use crate::path::PathState;

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

/// The time during which a path could not send new data, by the first limit in the order of the fields.
///
/// A path that sends at each opportunity and then reaches a limit again is blocked by that limit all the time. Time
/// without data to send is not counted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Blocked {
    /// The path paused, was unconfirmed, had failed, or was a standby path.
    pub path: Span,
    /// The congestion window was full, or the burst limit reached.
    pub window: Span,
    /// No data waited, or not enough for a packet (Nagle), and the send buffer had no room for another packet or for
    /// another message of the last length; or 32,768 chunks were outstanding, the largest number that serial arithmetic
    /// allows.
    pub send_buffer: Span,
    /// The path had used its share of a divided buffer.
    pub split_share: Span,
    /// The peer's receive window was full.
    pub receive_window: Span,
    /// The departure time of the next packet had not come (pacing).
    pub pacing: Span,
}

/// Counters of a path, and its current state.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PathStats {
    /// Packets with DATA sent on the path.
    pub data_packets_sent: u64,
    /// Bytes of these packets on the network layer, IP header included.
    pub wire_bytes_sent: u64,
    /// Probes of the path's MTU.
    pub mtu_probes: u64,
    /// DATA chunks sent on the path, retransmissions included.
    pub data_chunks_sent: u64,
    /// Chunks of `data_chunks_sent` that had been sent before, on any path.
    pub data_chunks_sent_again: u64,
    /// Packets with DATA received on the path.
    pub data_packets_received: u64,
    /// New payload bytes received on the path.
    pub bytes_received: u64,
    /// Acknowledged payload bytes whose last transmission used the path.
    pub bytes_acked: u64,
    /// Chunks that fast retransmission marked on the path.
    pub fast_retransmissions: u64,
    /// Window cuts by fast retransmission, or by rescheduling as in INET.
    pub window_cuts: u64,
    /// Expiries of T3.
    pub timeouts: u64,
    /// Times the path became potentially failed. RFC 7829 §3.2
    pub potentially_failed: u64,
    /// SACKs sent on the path.
    pub sacks_sent: u64,
    /// Chunks that were rescheduled to this path because they blocked its buffer.
    pub rescheduled: u64,
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub ssthresh: u64,
    /// Outstanding bytes in the accounting of the congestion control.
    pub outstanding: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// Retransmission timeout.
    pub rto: Span,
    /// Whether data may use the path.
    pub usable: bool,
    /// Reachability of the path.
    pub state: PathState,
    /// Whether the address is confirmed. RFC 9260 §5.4
    pub confirmed: bool,
    /// Whether the window grows by slow start.
    pub in_slow_start: bool,
    /// Whether the path is in Fast Recovery. RFC 9260 §7.2.4
    pub in_recovery: bool,
}
