//! The content of the SYNs of Multipath TCP, which is necessary to encode and decode later segments.
//! RFC 6824 §3.1, §3.2

use std::collections::BTreeMap;

use manypath_core::{Address, Via};
use sha1::{Digest, Sha1};

use crate::mptcp::{MultipathOption, token};
use crate::segment::{Flags, Segment};

/// Keys and initial sequence numbers of the connections of Multipath TCP, from their SYNs.
///
/// The engine counts data from 0, and its token of a connection is a part of the key. On a wire the hash of the key
/// gives the initial data sequence number and the token, and a mapping is relative to the SYN of its subflow.
#[derive(Debug, Default)]
pub struct Handshakes {
    beginnings: BTreeMap<Direction, Beginning>,
    /// For each token of the engine in a join: the keys of the receiver and of the sender.
    pairs: BTreeMap<u32, [Key; 2]>,
}

/// The sender and the receiver of one direction of a subflow.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Direction {
    via: Via,
    source_port: u16,
    destination_port: u16,
}

/// The beginning of one direction of a subflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    /// Sequence number of SYN.
    pub(super) initial: u32,
    /// Key of the sender.
    pub(super) key: Key,
    /// The sender's address identifier.
    pub(super) address: u8,
    /// Whether it was the first SYN of the connection: neither an answer nor a join.
    pub(super) is_first: bool,
}

/// A key and the values from its hash. RFC 6824 §3.1, §3.2
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Key {
    pub(super) value: u64,
    /// The token of the connection: the first 32 bits.
    pub(super) token: u32,
    /// The sequence number of the first data: the last 64 bits, plus one for the handshake itself.
    pub(super) first_data: u64,
}

impl Handshakes {
    /// Records a segment if it is a SYN with an option of Multipath TCP.
    pub(super) fn note(&mut self, via: Via, segment: &Segment) {
        let Some(option) = segment.options.multipath else { return };
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        let (key, is_join) = match option {
            MultipathOption::Capable { key } => (Key::new(key), false),
            MultipathOption::Join { token } => match self.pairs.get(&token) {
                Some([_, sender]) => (*sender, true),
                None => return,
            },
            MultipathOption::Dss(_) | MultipathOption::FastClose => return,
        };
        let there = Direction::of(via, segment);
        let is_same = |known: &Beginning| known.initial == segment.seq && known.key == key;
        if self.beginnings.get(&there).is_some_and(is_same) {
            return;
        }
        let is_answer = segment.flags.contains(Flags::ACK);
        if !is_answer {
            // Earlier information about the other direction belongs to an older connection
            self.beginnings.remove(&there.reversed());
        }
        let address = self.address_id(key, via.local);
        let is_first = !is_join && !is_answer;
        let beginning = Beginning { initial: segment.seq, key, address, is_first };
        self.beginnings.insert(there, beginning);
        if !is_join && let Some(peer) = self.beginning(there.reversed()) {
            self.pairs.insert(token(key.value), [key, peer.key]);
            self.pairs.insert(token(peer.key.value), [peer.key, key]);
        }
    }

    /// The beginning of a direction.
    pub(super) fn beginning(&self, direction: Direction) -> Option<Beginning> {
        self.beginnings.get(&direction).copied()
    }

    /// The key that a join identifies by this token of the engine.
    pub(super) fn named(&self, token: u32) -> Option<Key> {
        self.pairs.get(&token).map(|[receiver, _]| *receiver)
    }

    /// The identifier of an address of the owner of a key; always the same for one address.
    fn address_id(&self, key: Key, address: Address) -> u8 {
        let own = self.beginnings.iter().filter(|(_, known)| known.key == key);
        let same = own.clone().find(|(direction, _)| direction.via.local == address);
        same.map_or_else(|| own.count() as u8, |(_, known)| known.address)
    }
}

impl Direction {
    /// The direction of a segment that is sent `via`.
    pub(super) fn of(via: Via, segment: &Segment) -> Self {
        let Segment { source_port, destination_port, .. } = *segment;
        Self { via, source_port, destination_port }
    }

    /// The direction of the answers.
    pub(super) fn reversed(self) -> Self {
        Self {
            via: self.via.reversed(),
            source_port: self.destination_port,
            destination_port: self.source_port,
        }
    }
}

impl Key {
    fn new(value: u64) -> Self {
        let hash: [u8; 20] = Sha1::digest(value.to_be_bytes()).into();
        let [t0, t1, t2, t3, ..] = hash;
        let [.., d0, d1, d2, d3, d4, d5, d6, d7] = hash;
        let initial_data = u64::from_be_bytes([d0, d1, d2, d3, d4, d5, d6, d7]);
        Self {
            value,
            token: u32::from_be_bytes([t0, t1, t2, t3]),
            first_data: initial_data.wrapping_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Options;
    use crate::wire::tests::via;

    fn syn(seq: u32, flags: Flags, option: MultipathOption) -> Segment {
        let options = Options { multipath: Some(option), ..Options::default() };
        Segment { seq, flags, options, ..Segment::default() }
    }

    fn capable(key: u64) -> MultipathOption {
        MultipathOption::Capable { key }
    }

    const ANSWER: Flags = Flags::SYN.with(Flags::ACK);

    /// The SHA-1 of the letters from a to h: 425af12a0743502b322e93a015bcf868e324d56a.
    #[test]
    fn the_hash_of_a_key_gives_the_token_and_the_initial_data_sequence_number() {
        let key = Key::new(u64::from_be_bytes(*b"abcdefgh"));
        assert_eq!((key.token, key.first_data), (0x425a_f12a, 0x15bc_f868_e324_d56b));
    }

    #[test]
    fn a_join_has_the_keys_of_the_connection_that_it_names() {
        let mut handshakes = Handshakes::default();
        let (client, server) = (1 << 40, 2 << 40);
        handshakes.note(via(), &syn(7, Flags::SYN, capable(client)));
        handshakes.note(via().reversed(), &syn(8, ANSWER, capable(server)));
        let elsewhere = Via { local: Address::v4(10, 1, 0, 1), remote: Address::v4(10, 1, 1, 2) };
        let join = |key| MultipathOption::Join { token: token(key) };
        let (asks, answers) = (syn(9, Flags::SYN, join(server)), syn(10, ANSWER, join(client)));
        handshakes.note(elsewhere, &asks);
        handshakes.note(elsewhere, &asks);
        handshakes.note(elsewhere.reversed(), &answers);
        let known = |via, segment| {
            let known: Beginning = handshakes.beginning(Direction::of(via, segment)).unwrap();
            (known.initial, known.key.value, known.address, known.is_first)
        };
        assert_eq!(known(via(), &asks), (7, client, 0, true));
        assert_eq!(known(via().reversed(), &asks), (8, server, 0, false));
        assert_eq!(known(elsewhere, &asks), (9, client, 1, false));
        assert_eq!(known(elsewhere.reversed(), &asks), (10, server, 1, false));
        assert_eq!(handshakes.named(token(server)).unwrap().value, server);
    }

    #[test]
    fn a_new_connection_between_the_same_ports_takes_the_place_of_the_old_one() {
        let mut handshakes = Handshakes::default();
        handshakes.note(via(), &syn(1, Flags::SYN, capable(10)));
        handshakes.note(via().reversed(), &syn(2, ANSWER, capable(20)));
        let again = syn(3, Flags::SYN, capable(30));
        handshakes.note(via(), &again);
        let there = Direction::of(via(), &again);
        assert_eq!(handshakes.beginning(there).unwrap().key.value, 30);
        assert!(handshakes.beginning(there.reversed()).is_none());
    }

    #[test]
    fn a_join_of_an_unknown_connection_is_not_recorded() {
        let mut handshakes = Handshakes::default();
        let join = syn(1, Flags::SYN, MultipathOption::Join { token: 5 });
        handshakes.note(via(), &join);
        assert!(handshakes.beginning(Direction::of(via(), &join)).is_none());
    }
}
