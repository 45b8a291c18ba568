//! Counters that are always on.

use manypath_core::Span;

/// The counters of a connection.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Stats {
    /// Segments sent, of any kind.
    pub packets_sent: u64,
    /// Segments received, of any kind.
    pub packets_received: u64,
    /// Segments with data or FIN sent, retransmissions included.
    pub data_packets: u64,
    /// Pure acknowledgements sent.
    pub acks_sent: u64,
    /// Acknowledgements received that acknowledged nothing new and indicated a gap.
    pub duplicate_acks_received: u64,
    /// Segments that fast retransmission sent again.
    pub fast_retransmissions: u64,
    /// Segments that were sent again after a timeout.
    pub timer_retransmissions: u64,
    /// Retransmission timers that expired.
    pub timeouts: u64,
    /// Data segments received that contained no new byte.
    pub duplicates_received: u64,
    /// Segments dropped because they were not within the receive window.
    pub dropped_no_buffer: u64,
    /// Acknowledgements sent in answer to segments that may be forged or misdirected. RFC 5961
    pub challenge_acks_sent: u64,
    /// Probes of a closed window sent.
    pub window_probes_sent: u64,
    /// Payload bytes that the application wrote.
    pub bytes_sent: u64,
    /// Payload bytes that the application read.
    pub bytes_received: u64,
}

/// The counters of a path, and its current state.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PathStats {
    /// Segments with data or FIN sent on the path, retransmissions included.
    pub data_packets: u64,
    /// Network-layer bytes of these segments, IP header included.
    pub wire_bytes_sent: u64,
    /// Data segments received on the path.
    pub data_packets_received: u64,
    /// New payload bytes received on the path.
    pub bytes_received: u64,
    /// Payload bytes acknowledged on the path.
    pub bytes_acked: u64,
    /// Segments retransmitted, for any reason.
    pub retransmissions: u64,
    /// Segments that fast retransmission sent again.
    pub fast_retransmissions: u64,
    /// Times that fast retransmission cut the window.
    pub window_cuts: u64,
    /// Retransmission timers that expired.
    pub timeouts: u64,
    /// Pure acknowledgements sent on the path.
    pub acks_sent: u64,
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
    /// Whether data may be sent on the path.
    pub usable: bool,
    /// Whether the path is closed, or was closed before it opened.
    pub closed: bool,
    /// Whether the window grows by slow start.
    pub in_slow_start: bool,
    /// Whether the path is in fast recovery. RFC 5681 §3.2
    pub in_recovery: bool,
}
