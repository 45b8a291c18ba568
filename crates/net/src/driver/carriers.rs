//! The layer below SCTP for each peer: IP, or UDP with a port. RFC 6951 §5.4

use std::collections::HashMap;

use manypath_core::{Address, Via};
use manypath_sctp::{AssociationId, Control, Endpoint, Packet};

use crate::socket::Carrier;

/// The carrier of every address of every peer, by address and SCTP port. A peer's UDP port may change at any time, for
/// example when a NAT loses its state: every valid packet except INIT updates it.
#[derive(Debug)]
pub(crate) struct Carriers {
    known: HashMap<Peer, Carrier>,
    /// The latest entries of `known`, which nearly every lookup finds without hashing.
    recent: [Option<(Peer, Carrier)>; RECENT],
    /// Index of the next entry to replace.
    oldest: usize,
    /// The source of the last packet, for answers that belong to no association.
    latest: Option<Origin>,
    /// The carrier of unknown peers.
    fallback: Carrier,
}

/// An address of a peer, and its SCTP port.
type Peer = (Address, u16);

/// The source of a packet.
#[derive(Clone, Copy, Debug)]
struct Origin {
    remote: Address,
    port: u16,
    carrier: Carrier,
}

impl Carriers {
    pub(crate) fn new(fallback: Carrier) -> Self {
        let (known, recent) = (HashMap::new(), [None; RECENT]);
        Self { known, recent, oldest: 0, latest: None, fallback }
    }

    /// Whether an association has this peer.
    pub(crate) fn has(&self, remote: Address, port: u16) -> bool {
        self.known.contains_key(&(remote, port))
    }

    /// Sets the carrier of a peer for the application.
    pub(crate) fn set(&mut self, remote: Address, port: u16, carrier: Carrier) {
        self.insert((remote, port), carrier);
    }

    /// Records the source of a packet before it is handled.
    pub(crate) fn arrives(&mut self, via: Via, port: u16, carrier: Carrier) {
        self.latest = Some(Origin { remote: via.remote, port, carrier });
    }

    /// Updates the carrier of a packet's sender after the packet was handled, if it was valid. Not for INIT.
    pub(crate) fn note(&mut self, core: &Endpoint, via: Via, packet: &Packet, carrier: Carrier) {
        let key = (via.remote, packet.source_port);
        if self.find(key) == Some(carrier) {
            return;
        }
        if let Some(id) = core.association_of(packet)
            && peer_addresses(core, id).any(|address| address == via.remote)
        {
            self.insert(key, carrier);
        }
    }

    /// The carrier of a packet that is sent.
    pub(crate) fn carrier(&mut self, via: Via, packet: &Packet) -> Carrier {
        let key = (via.remote, packet.destination_port);
        let latest = self.latest.filter(|latest| latest.port == key.1);
        let answered = latest.filter(|latest| latest.remote == via.remote);
        if let Some(origin) = answered
            && is_outside_of_associations(packet)
        {
            return origin.carrier;
        }
        if let Some(carrier) = self.find(key) {
            return carrier;
        }
        // The peer has just announced the address, which most likely has the same UDP port as its others
        let carrier = latest.map_or(self.fallback, |latest| latest.carrier);
        if is_inside_of_association(packet) {
            self.insert(key, carrier);
        }
        carrier
    }

    /// Removes the addresses of an association that is about to be forgotten.
    pub(crate) fn forget(&mut self, addresses: impl Iterator<Item = Address>, port: u16) {
        for address in addresses {
            self.known.remove(&(address, port));
        }
        self.recent = [None; RECENT];
    }

    fn find(&mut self, key: Peer) -> Option<Carrier> {
        if let Some((_, carrier)) = self.recent.iter().flatten().find(|(peer, _)| *peer == key) {
            return Some(*carrier);
        }
        let carrier = *self.known.get(&key)?;
        self.recent[self.oldest] = Some((key, carrier));
        self.oldest = (self.oldest + 1) % RECENT;
        Some(carrier)
    }

    fn insert(&mut self, key: Peer, carrier: Carrier) {
        self.known.insert(key, carrier);
        self.recent = [None; RECENT];
    }
}

/// The addresses of an association's peer.
pub(crate) fn peer_addresses(core: &Endpoint, id: AssociationId) -> impl Iterator<Item = Address> {
    (0..=u8::MAX)
        .map_while(move |path| Some(core.path_via(id, manypath_core::PathId(path))?.remote))
}

/// Whether the packet can only be an answer that belongs to no association. RFC 9260 §5.1 B, §8.4
fn is_outside_of_associations(packet: &Packet) -> bool {
    matches!(
        packet.control.first(),
        Some(
            Control::InitAck(_)
                | Control::Abort { reflected: true, .. }
                | Control::ShutdownComplete { reflected: true }
        )
    )
}

/// Whether only an association sends such a packet.
fn is_inside_of_association(packet: &Packet) -> bool {
    let control = packet.control.first();
    packet.has_sack
        || !packet.data.is_empty()
        || matches!(control, Some(Control::Heartbeat(_) | Control::CookieEcho(_)))
}

/// Number of recent entries: usually at least the number of an association's paths.
const RECENT: usize = 4;
