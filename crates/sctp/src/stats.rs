//! Counters that are always on.

use manypath_core::Span;

use crate::path::PathState;

/// What an association has done so far.
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
    /// Those among them that had been sent before.
    pub data_chunks_sent_again: u64,
    /// SACKs sent.
    pub sacks_sent: u64,
    /// SACKs received.
    pub sacks_received: u64,
    /// SACKs that arrived after a newer one.
    pub stale_sacks: u64,
    /// Chunks that fast retransmission marked.
    pub fast_retransmissions: u64,
    /// Chunks that a timer marked.
    pub timer_retransmissions: u64,
    /// T3 timers that expired.
    pub timeouts: u64,
    /// DATA chunks that had arrived before.
    pub duplicates_received: u64,
    /// DATA chunks dropped because the receive buffer was full.
    pub dropped_no_buffer: u64,
    /// DATA chunks that had arrived and made way for others in a full receive buffer: they must come again.
    pub given_up: u64,
    /// Fast retransmissions that the peer had no need of: it reported the chunk as a duplicate.
    pub spurious_fast_retransmissions: u64,
    /// SACKs that made the sender retransmit two such chunks or more at once.
    pub spurious_bursts: u64,
    /// Packets that arrived damaged.
    pub damaged_received: u64,
    /// Packet drop reports sent.
    pub drop_reports_sent: u64,
    /// Packet drop reports received.
    pub drop_reports_received: u64,
    /// Chunks that a drop report marked.
    pub drop_report_retransmissions: u64,
    /// Chunks that found the peer's receive buffer full, marked as soon as it has room for them.
    pub probe_retransmissions: u64,
    /// Chunks that another path took over because they blocked its buffer.
    pub rescheduled: u64,
    /// Messages that expired before anything of them was sent.
    pub messages_expired: u64,
    /// Messages that the application handed over.
    pub messages_sent: u64,
    /// Payload bytes that the application handed over.
    pub bytes_sent: u64,
    /// Messages handed to the application.
    pub messages_received: u64,
    /// Payload bytes handed to the application.
    pub bytes_received: u64,
}

/// Head-of-line blocking on one inbound stream: ordered messages that are complete and wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StreamStats {
    /// Ordered messages that the application has been offered.
    pub messages: u64,
    /// Those among them that had to wait although they were complete.
    pub waited: u64,
    /// How long these waited, all together.
    pub waiting: Span,
    /// Time during which at least one complete message waited.
    pub blocked: Span,
    /// Complete messages that wait now; they are not in `waited` and `waiting` yet.
    pub waits: u32,
}

/// What of the receive buffer held bytes that the application could not read yet: fragments of messages that are not
/// complete, and complete messages that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ReorderStats {
    /// Payload bytes now.
    pub bytes: u64,
    /// Payload bytes at most, ever.
    pub most_bytes: u64,
    /// Bytes times nanoseconds: its growth divided by the time between two readings is the mean occupancy.
    pub byte_nanos: u128,
}

/// Time during which a path could not send new data, by what stopped it first in the order of the fields.
///
/// A path that sends at every chance and then meets a limit again waits for that limit all the time. Time without anything
/// to send counts nowhere.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Blocked {
    /// The path paused, was not confirmed, had failed, or stood by while another one carried new data.
    pub path: Span,
    /// The congestion window was full, or the burst limit reached.
    pub window: Span,
    /// Nothing waited, or not enough for a packet (Nagle), and the send buffer had no room for another packet, or for another
    /// message as long as the last one; or it held 32,768 chunks that had been sent, more than which cannot be told apart.
    pub send_buffer: Span,
    /// The path had used up its share of a divided buffer.
    pub split_share: Span,
    /// The peer's receive window was full.
    pub receive_window: Span,
    /// The next packet was not due yet (pacing).
    pub pacing: Span,
}

/// What a path has carried, and its state now.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PathStats {
    /// Packets with DATA sent on the path.
    pub data_packets_sent: u64,
    /// Bytes of these on the network layer, IP header included.
    pub wire_bytes_sent: u64,
    /// Probes of the path's MTU.
    pub mtu_probes: u64,
    /// DATA chunks sent on the path, retransmissions included.
    pub data_chunks_sent: u64,
    /// The chunks among `data_chunks_sent` that had been sent before, on any path.
    pub data_chunks_sent_again: u64,
    /// Packets with DATA received on the path.
    pub data_packets_received: u64,
    /// New payload bytes received on the path.
    pub bytes_received: u64,
    /// Payload bytes acknowledged whose last transmission took the path.
    pub bytes_acked: u64,
    /// Chunks that fast retransmission marked on the path.
    pub fast_retransmissions: u64,
    /// Times that the window was cut by fast retransmission, or as by one (INET, when another path takes a chunk over).
    pub window_cuts: u64,
    /// T3 timers that expired.
    pub timeouts: u64,
    /// Times that the path became potentially failed. RFC 7829 §3.2
    pub potentially_failed: u64,
    /// SACKs sent on the path.
    pub sacks_sent: u64,
    /// Chunks that the path took over from another one because they blocked its buffer.
    pub rescheduled: u64,
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub ssthresh: u64,
    /// Outstanding bytes as the congestion control counts them.
    pub outstanding: u64,
    /// Smoothed RTT, zero before the first sample.
    pub srtt: Span,
    /// Retransmission timeout.
    pub rto: Span,
    /// Whether data may go this way.
    pub usable: bool,
    /// Whether the path works.
    pub state: PathState,
    /// Whether the peer owns the address. RFC 9260 §5.4
    pub confirmed: bool,
    /// Whether the window would grow by slow start.
    pub in_slow_start: bool,
    /// Whether the path is in Fast Recovery. RFC 9260 §7.2.4
    pub in_recovery: bool,
}
