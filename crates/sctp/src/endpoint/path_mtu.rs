//! Information about paths from outside of SCTP, which the owner reports to the endpoint.

use manypath_core::{Address, PathId, Time};

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

    /// Reports that packets of more than `mtu` bytes do not pass on a path. The source is a link of this machine, or an
    /// ICMP message that quotes a packet of the path. The MTU never grows by this. With [`Config::mtu_discovery`]
    /// probes determine the MTU; without it, the MTU becomes `mtu`. RFC 8899 §4.6.2
    ///
    /// Unknown associations and paths have no effect.
    ///
    /// [`Config::mtu_discovery`]: crate::Config::mtu_discovery
    pub fn packet_too_big(&mut self, now: Time, id: AssociationId, path: PathId, mtu: u16) {
        if let Some(association) = self.association_mut(id) {
            association.packet_too_big(now, path, mtu);
        }
    }

    /// The MTU of a path as far as known, in bytes of an IP packet; none if there is no such association or path.
    pub fn path_mtu(&self, id: AssociationId, path: PathId) -> Option<u16> {
        self.association(id)?.paths().mtu(path)
    }

    /// The association and the path of a packet that was sent to `remote` with this destination port and verification
    /// tag, or with tag 0 and this initiate tag in its INIT. An ICMP message that quotes another tag is forged or
    /// stale. RFC 9260 §10 ICMP5, ICMP6
    pub fn path_of_sent(
        &self,
        remote: Address,
        port: u16,
        tag: u32,
        initiate_tag: Option<u32>,
    ) -> Option<(AssociationId, PathId)> {
        let index = self.with_peer(port, [remote], |it| it.peer().was_sent(tag, initiate_tag))?;
        let path = self.slots.get(index)?.paths().to_remote(remote)?;
        Some((self.slots.id(index), path))
    }

    /// Handles an ICMP message "protocol unreachable" about a packet of a path; `was_init` if that packet was an INIT.
    /// Inside UDP, "port unreachable" means the same (RFC 6951 §5.6). The association ends as by an ABORT of the peer
    /// once all its paths have had such a message. RFC 9260 §10 ICMP8
    ///
    /// Unknown associations and paths have no effect.
    pub fn protocol_unreachable(
        &mut self,
        now: Time,
        id: AssociationId,
        path: PathId,
        was_init: bool,
    ) {
        if let Some(association) = self.association_mut(id) {
            association.protocol_unreachable(now, path, was_init);
        }
    }

    /// Reports that the destination of a path is unreachable, according to an ICMP message that quotes a packet of the
    /// path. It counts as an error of the path, which is probed with a HEARTBEAT at once. RFC 9260 §10 ICMP9
    ///
    /// Unknown associations and paths have no effect.
    pub fn destination_unreachable(&mut self, now: Time, id: AssociationId, path: PathId) {
        if let Some(association) = self.association_mut(id) {
            association.destination_unreachable(now, path);
        }
    }

    /// Reports that packets of a path take another route, such as another interface. The congestion window and the
    /// slow-start threshold are reset to those of a new path. RFC 9260 §7.2.5.2
    ///
    /// Unknown associations and paths have no effect.
    pub fn change_route(&mut self, now: Time, id: AssociationId, path: PathId) {
        if let Some(association) = self.association_mut(id) {
            association.change_route(now, path);
        }
    }
}
