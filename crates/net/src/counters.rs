//! The counters of an endpoint.

use manypath_core::counters;

counters! {
    /// Counters of an endpoint, in datagrams.
    #[non_exhaustive]
    Counters {
        /// Packets sent by all associations.
        packets_sent,
        /// Sent packets that the system refused, or that were dropped because a socket was blocked.
        dropped_packets,
        /// Packets received for the endpoint's SCTP port.
        packets_received,
        /// Received malformed packets. RFC 9260 §3
        malformed_packets,
    }
}
