//! A path of an association.

use std::net::IpAddr;

use manypath_core::BlockedTime;
use manypath_sctp::PathStats;

/// A path of an association: a local address and one of the peer's.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Path {
    /// The local address.
    pub local: IpAddr,
    /// The peer's address.
    pub remote: IpAddr,
    /// Path MTU as far as known, in bytes of an IP packet.
    pub mtu: u16,
    /// Whether this is the primary path, which carries all data while it works unless all paths are used concurrently.
    pub is_primary: bool,
    /// Its state, congestion window, round-trip time and counters.
    pub stats: PathStats,
    /// The time for which it could not send new data, by limit.
    pub blocked: BlockedTime,
}
