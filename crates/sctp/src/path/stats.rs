//! Counters of a path, which are always enabled.

use manypath_core::{Span, counters};

use super::PathState;

counters! {
    /// Counters of a path, and its current state.
    PathStats {
        /// Window cuts by fast retransmission, or by rescheduling as in INET.
        window_cuts: Source,
        /// DATA chunks that fast retransmission marked on the path.
        fast_retransmissions: Source,
        /// Expiries of T3, the retransmission timer.
        timeouts: Source,
        /// DATA chunks that were moved to this path because they blocked its buffer.
        rescheduled_chunks: Source,
        /// Packets with DATA sent on the path.
        data_packets,
        /// Bytes of these packets on the network layer, IP header included.
        wire_bytes_sent,
        /// Probes of the path's MTU.
        mtu_probes,
        /// DATA chunks sent on the path, retransmissions included.
        data_chunks_sent,
        /// Chunks of `data_chunks_sent` that had been sent before, on any path.
        retransmitted_chunks,
        /// Packets with DATA received on the path.
        data_packets_received,
        /// New payload bytes received on the path.
        bytes_received,
        /// Acknowledged payload bytes whose last transmission used the path.
        bytes_acked,
        /// Times the path became potentially failed. RFC 7829 §3.2
        potentially_failed,
        /// SACKs sent on the path.
        sacks_sent,
        ;
        /// Congestion window in bytes.
        window: u64,
        /// Slow-start threshold in bytes.
        ssthresh: u64,
        /// Outstanding bytes in the accounting of the congestion control.
        outstanding: u64,
        /// Smoothed RTT; zero before the first sample.
        srtt: Span,
        /// Retransmission timeout.
        rto: Span,
        /// Whether data may use the path.
        usable: bool,
        /// Reachability of the path.
        state: PathState,
        /// Whether the address is confirmed. RFC 9260 §5.4
        confirmed: bool,
        /// Whether the window grows by slow start.
        in_slow_start: bool,
        /// Whether the path is in Fast Recovery. RFC 9260 §7.2.4
        in_recovery: bool,
    }
}
