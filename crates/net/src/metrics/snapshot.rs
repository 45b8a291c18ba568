//! The state of an endpoint that its metrics show.

use std::net::SocketAddr;

use manypath_sctp::Stats;

use crate::counters::Counters;
use crate::path::Path;

/// The state of an endpoint at one instant.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) counters: Counters,
    /// See [`Endpoint::foreign_packets`](crate::Endpoint::foreign_packets).
    pub(crate) foreign_packets: u64,
    pub(crate) associations: Vec<AssociationSnapshot>,
}

/// An established association.
#[derive(Debug)]
pub(crate) struct AssociationSnapshot {
    /// The peer's first address, and its SCTP port.
    pub(crate) peer: SocketAddr,
    pub(crate) stats: Stats,
    pub(crate) paths: Vec<Path>,
}
