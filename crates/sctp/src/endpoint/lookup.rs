//! Finds the association of a packet, by verification tag or by the peer's port and address.
//!
//! The indexes are ordered trees, not hash tables. A peer chooses ports and addresses and could cause hash collisions.
//! A hash function that prevents this needs a secret key.

use std::collections::BTreeSet;

use manypath_core::Address;

use crate::association::Association;

/// The keys of all associations that are not closed, with their slots.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    tags: BTreeSet<(u32, u32)>,
    peers: BTreeSet<(u16, Address, u32)>,
}

/// The keys of one association.
#[derive(Debug, Default)]
pub(super) struct Keys {
    local_tag: u32,
    peer_port: u16,
    peer_addresses: Vec<Address>,
}

impl Keys {
    /// Whether these are still the keys of the association.
    fn are_current_for(&self, association: &Association) -> bool {
        if association.is_closed() {
            // Stored keys have at least one address
            return self.peer_addresses.is_empty();
        }
        // The peer's port never changes
        self.local_tag == association.peer().local_tag
            && association.paths().peer_addresses().eq(self.peer_addresses.iter().copied())
    }
}

impl Lookup {
    /// Updates the keys of the association in a slot. A closed association has none.
    pub(super) fn update(&mut self, index: usize, keys: &mut Keys, association: &Association) {
        if keys.are_current_for(association) {
            return;
        }
        self.remove(index, keys);
        if association.is_closed() {
            return;
        }
        let slot = index as u32;
        keys.local_tag = association.peer().local_tag;
        keys.peer_port = association.peer().port;
        keys.peer_addresses.extend(association.paths().peer_addresses());
        self.tags.insert((keys.local_tag, slot));
        let peers = keys.peer_addresses.iter().map(|&address| (keys.peer_port, address, slot));
        self.peers.extend(peers);
    }

    /// Removes the keys of the association in a slot.
    pub(super) fn remove(&mut self, index: usize, keys: &mut Keys) {
        let slot = index as u32;
        self.tags.remove(&(keys.local_tag, slot));
        for address in std::mem::take(&mut keys.peer_addresses) {
            self.peers.remove(&(keys.peer_port, address, slot));
        }
    }

    /// The slots whose associations have this local tag, in ascending order. More than one is rare: a new tag differs
    /// from those in use, but not from those in cookies that have not returned.
    pub(super) fn tagged(&self, tag: u32) -> impl Iterator<Item = usize> {
        self.tags.range((tag, 0)..=(tag, u32::MAX)).map(|(.., slot)| *slot as usize)
    }

    /// The slots whose associations have a peer with this port and address, in ascending order.
    pub(super) fn with_peer(&self, port: u16, address: Address) -> impl Iterator<Item = usize> {
        let keys = (port, address, 0)..=(port, address, u32::MAX);
        self.peers.range(keys).map(|(.., slot)| *slot as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use manypath_core::{Streams, Time, Via};

    use super::*;
    use crate::config::Config;
    use crate::entropy::Entropy;

    #[test]
    fn a_closed_association_leaves_no_keys() {
        let via =
            |path| Via { local: Address::v4(10, path, 0, 1), remote: Address::v4(10, path, 0, 2) };
        let random = Entropy::Simulated(Streams::new(1, 0).stream("lookup"));
        let config = Arc::new(Config::default());
        let vias = [via(0), via(1)];
        let mut association = Association::connect(Time::ZERO, config, &vias, 9, 77, random);
        let (mut lookup, mut keys) = (Lookup::default(), Keys::default());
        for _ in 0..2 {
            lookup.update(3, &mut keys, &association);
            assert_eq!(lookup.tagged(77).collect::<Vec<_>>(), [3]);
            assert_eq!(lookup.with_peer(9, via(1).remote).collect::<Vec<_>>(), [3]);
            assert_eq!((lookup.tags.len(), lookup.peers.len()), (1, 2));
        }
        association.abort(&Bytes::new());
        lookup.update(3, &mut keys, &association);
        assert!(lookup.tags.is_empty() && lookup.peers.is_empty());
    }
}
