//! Counters of a path, which are always enabled.

use manypath_core::Span;

use super::PathState;

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
