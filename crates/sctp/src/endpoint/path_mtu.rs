//! What others find out about a path and tell the endpoint.

use manypath_core::{Address, PathId};

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

    /// The MTU of a path as far as known, in bytes of an IP packet; none if there is no such association or path.
    pub fn path_mtu(&self, id: AssociationId, path: PathId) -> Option<u16> {
        self.association(id)?.path_mtu(path)
    }

    /// The association and the path of a packet that was sent to `remote` with this tag and destination port: an ICMP
    /// message that quotes another tag is forged, or stale. RFC 9260 §10
    pub fn path_of_sent(
        &self,
        remote: Address,
        port: u16,
        tag: u32,
    ) -> Option<(AssociationId, PathId)> {
        let index = self.with_peer(port, [remote], |it| tag != 0 && it.peer_tag() == tag)?;
        let path = self.slots.get(index)?.path_to_remote(remote)?;
        Some((self.slots.id(index), path))
    }
}
