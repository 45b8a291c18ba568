//! Counters of connections and paths, which are always enabled.

use manypath_core::{Span, counters};

counters! {
    /// Counters of a connection.
    Stats {
        /// Segments sent, of any kind.
        packets_sent,
        /// Segments received, of any kind.
        packets_received,
        /// Segments with data sent, retransmissions included.
        data_packets,
        /// Pure acknowledgements sent.
        acks_sent,
        /// Acknowledgements received that acknowledged nothing new and indicated a gap.
        duplicate_acks_received,
        /// Segments that fast retransmission sent again.
        fast_retransmissions: Source,
        /// Segments that were sent again after a timeout.
        timer_retransmissions,
        /// Expiries of the retransmission timer.
        timeouts: Source,
        /// Data segments received that contained no new byte.
        duplicate_segments: Sink as duplicate_chunks,
        /// Segments dropped because they were not within the receive window.
        refused_segments: Sink as refused_chunks,
        /// Acknowledgements sent in answer to segments that may be forged or misdirected. RFC 5961
        challenge_acks_sent,
        /// Probes of a closed window sent.
        window_probes_sent,
        /// Payload bytes that the application wrote.
        bytes_sent,
        /// Payload bytes that the application read.
        bytes_received,
        =
        /// Segments sent again, for any reason.
        retransmitted_segments = fast_retransmissions + timer_retransmissions: Source as retransmitted_chunks,
    }
}

counters! {
    /// Counters of a path, and its current state.
    PathStats {
        /// Segments with data sent on the path, retransmissions included.
        data_packets,
        /// Network-layer bytes of these segments, IP header included.
        wire_bytes_sent,
        /// Data segments received on the path.
        data_packets_received,
        /// New payload bytes received on the path.
        bytes_received,
        /// Payload bytes acknowledged on the path.
        bytes_acked,
        /// Segments that fast retransmission sent again.
        fast_retransmissions: Source,
        /// Segments that were sent again after a timeout.
        timer_retransmissions,
        /// Window cuts by fast retransmission.
        window_cuts: Source,
        /// Expiries of the retransmission timer.
        timeouts: Source,
        /// Pure acknowledgements sent on the path.
        acks_sent,
        =
        /// Segments sent again, for any reason.
        retransmitted_segments = fast_retransmissions + timer_retransmissions,
        ;
        /// Congestion window in bytes.
        window: u64,
        /// Slow-start threshold in bytes.
        ssthresh: u64,
        /// Outstanding bytes as the congestion control counts them.
        outstanding: u64,
        /// Smoothed RTT; zero before the first sample.
        srtt: Span,
        /// Retransmission timeout.
        rto: Span,
        /// Whether data may be sent on the path.
        usable: bool,
        /// Whether the path is closed, or was closed before it opened.
        closed: bool,
        /// Whether the window grows by slow start.
        in_slow_start: bool,
        /// Whether the path is in fast recovery. RFC 5681 §3.2
        in_recovery: bool,
    }
}
