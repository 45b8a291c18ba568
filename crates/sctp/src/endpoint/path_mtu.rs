//! What others find out about a path and tell the endpoint.

use manypath_core::{PathId, Time};

use super::Endpoint;
use crate::event::AssociationId;

impl Endpoint {
    /// Sets the MTU of a path to one that was discovered, in bytes of an IP packet; at least 512 count.
    ///
    /// New chunks fit the smallest MTU of all paths. Chunks on their way that no longer fit leave in packets with
    /// [`Packet::may_fragment`](crate::Packet::may_fragment) when they are sent again. Unknown associations and paths
    /// have no effect.
    pub fn set_path_mtu(&mut self, id: AssociationId, path: PathId, mtu: u16) {
        if let Some(association) = self.association_mut(id) {
            association.set_path_mtu(path, mtu);
        }
    }

    /// Tells that packets of a path take another route than before, such as by another interface: its congestion window
    /// and its slow-start threshold are those of a new path. RFC 9260 §7.2.5.2
    ///
    /// Unknown associations and paths have no effect.
    pub fn change_route(&mut self, now: Time, id: AssociationId, path: PathId) {
        if let Some(association) = self.association_mut(id) {
            association.change_route(now, path);
        }
    }
}
