//! Finds the association of a packet, by verification tag or by the peer's port and address.
//!
//! These are ordered trees instead of hash tables: a peer chooses ports and addresses, and the worst case of a tree
//! needs no secret.

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
pub(super) struct Names {
    local_tag: u32,
    peer_port: u16,
    peer_addresses: Vec<Address>,
}

impl Names {
    /// Whether these are still the keys of the association.
    fn are_of(&self, association: &Association) -> bool {
        if association.is_closed() {
            return self.peer_addresses.is_empty();
        }
        self.local_tag == association.local_tag()
            && association.peer_addresses().eq(self.peer_addresses.iter().copied())
    }
}

impl Lookup {
    /// Updates the keys of the association in a slot. A closed association has none.
    pub(super) fn update(&mut self, index: usize, names: &mut Names, association: &Association) {
        if names.are_of(association) {
            return;
        }
        self.remove(index, names);
        if association.is_closed() {
            return;
        }
        let slot = index as u32;
        names.local_tag = association.local_tag();
        names.peer_port = association.peer_port();
        names.peer_addresses.extend(association.peer_addresses());
        self.tags.insert((names.local_tag, slot));
        let keys = names.peer_addresses.iter().map(|&address| (names.peer_port, address, slot));
        self.peers.extend(keys);
    }

    /// Removes the association in a slot.
    pub(super) fn remove(&mut self, index: usize, names: &mut Names) {
        let slot = index as u32;
        self.tags.remove(&(names.local_tag, slot));
        for address in std::mem::take(&mut names.peer_addresses) {
            self.peers.remove(&(names.peer_port, address, slot));
        }
    }

    /// The slots whose associations have this local tag, lowest first.
    pub(super) fn tagged(&self, tag: u32) -> impl Iterator<Item = usize> {
        self.tags.range((tag, 0)..=(tag, u32::MAX)).map(|(.., slot)| *slot as usize)
    }

    /// The slots whose associations are with this port and address of a peer, lowest first.
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
        let (mut lookup, mut names) = (Lookup::default(), Names::default());
        for _ in 0..2 {
            lookup.update(3, &mut names, &association);
            assert_eq!(lookup.tagged(77).collect::<Vec<_>>(), [3]);
            assert_eq!(lookup.with_peer(9, via(1).remote).collect::<Vec<_>>(), [3]);
            assert_eq!((lookup.tags.len(), lookup.peers.len()), (1, 2));
        }
        association.abort(&Bytes::new());
        lookup.update(3, &mut names, &association);
        assert!(lookup.tags.is_empty() && lookup.peers.is_empty());
    }
}
