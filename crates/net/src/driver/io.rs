//! The sockets of a host, and memory that its endpoints use in turn.

use manypath_sctp::Packet;

use super::slab::Slab;
use crate::socket::Sockets;

/// The sockets and buffers that an endpoint uses while it handles or sends packets.
#[derive(Debug)]
pub(crate) struct Io {
    pub(crate) sockets: Sockets,
    pub(super) slab: Slab,
    /// Kept to reuse the memory of its chunks.
    pub(super) incoming: Packet,
    /// Kept to reuse the memory of its chunks.
    pub(super) outgoing: Packet,
}

impl Io {
    pub(crate) fn new(sockets: Sockets) -> Self {
        Self {
            sockets,
            slab: Slab::default(),
            incoming: Packet::default(),
            outgoing: Packet::default(),
        }
    }
}
