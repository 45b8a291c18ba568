//! The summary of a capture: associations, their paths in each direction, and packets that could not be decoded.

mod association;
mod data;
mod path;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use manypath_sctp::{Control, Packet};
use serde::Serialize;

use crate::packet::elapsed;
use association::{Association, Side};

/// Counters of a capture. Memory is bounded by limits on associations, paths and chunks.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Names of the interfaces with frames.
    interfaces: BTreeSet<String>,
    /// Number of frames in the file.
    frames: u64,
    /// Number of SCTP packets.
    packets: u64,
    /// Number of packets with wrong checksums.
    damaged: u64,
    /// Number of packets whose end was not captured.
    cut: u64,
    /// Number of packets that are malformed in another way.
    broken: u64,
    /// Number of frames of link types that are not supported, by link type.
    skipped_frames: BTreeMap<i32, u64>,
    /// Number of IP fragments, which are not reassembled.
    fragments: u64,
    /// Number of packets that belong to no listed association.
    others: u64,
    /// Chunks of unknown types, by type.
    unknown_chunks: BTreeMap<u8, u64>,
    /// Time from the first frame to the last, in nanoseconds.
    duration: u64,
    associations: Vec<Association>,
    #[serde(skip)]
    began: Option<u64>,
    /// The association and the sending side, by the verification tag and the ports of a packet.
    #[serde(skip)]
    by_tag: HashMap<Key, (usize, Side)>,
    /// The same by addresses, for associations whose handshake was not captured.
    #[serde(skip)]
    by_address: HashMap<Place, (usize, Side)>,
}

/// A captured packet.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    /// Unix time in nanoseconds.
    pub(crate) at: u64,
    /// Source and destination.
    pub(crate) via: [IpAddr; 2],
    /// Length of the IP packet in bytes.
    pub(crate) length: usize,
    /// Whether the checksum is right; `None` if it is unknown.
    pub(crate) checksum: Option<bool>,
    /// Whether the whole packet was decoded.
    pub(crate) is_read: bool,
    /// Whether it is encapsulated in UDP.
    pub(crate) is_encapsulated: bool,
    /// Unknown chunk types.
    pub(crate) unknown: Vec<u8>,
    /// The decoded part.
    pub(crate) packet: &'a Packet,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Key {
    ports: [u16; 2],
    tag: u32,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Place {
    addresses: [IpAddr; 2],
    ports: [u16; 2],
}

impl Summary {
    /// Number of frames so far.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Number of SCTP packets so far.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Counts a frame and records the name of its interface.
    pub(crate) fn count_frame(&mut self, at: u64, interface: Option<&str>) {
        self.frames += 1;
        let began = *self.began.get_or_insert(at);
        self.duration = self.duration.max(at.saturating_sub(began));
        if let Some(name) = interface
            && self.interfaces.len() < MOST_INTERFACES
            && !self.interfaces.contains(name)
        {
            self.interfaces.insert(name.to_owned());
        }
    }

    /// Counts a frame of a link type that is not supported.
    pub(crate) fn count_skipped(&mut self, link_type: i32) {
        *self.skipped_frames.entry(link_type).or_default() += 1;
    }

    pub(crate) fn count_fragment(&mut self) {
        self.fragments += 1;
    }

    pub(crate) fn count(&mut self, seen: &Seen<'_>) {
        self.packets += 1;
        match (seen.checksum, seen.is_read) {
            (None, _) => self.cut += 1,
            (Some(false), _) => self.damaged += 1,
            (Some(true), false) => self.broken += 1,
            (Some(true), true) => {}
        }
        for kind in &seen.unknown {
            *self.unknown_chunks.entry(*kind).or_default() += 1;
        }
        match self.find(seen) {
            Some((index, sender)) => self.associations[index].count(sender, seen),
            None => self.others += 1,
        }
    }

    /// The association of a packet, and the side that sent it.
    fn find(&mut self, seen: &Seen<'_>) -> Option<(usize, Side)> {
        let packet = seen.packet;
        let ports = [packet.source_port, packet.destination_port];
        let [there, back] = [ports, [ports[1], ports[0]]];
        if let [Control::Init(init)] = packet.control.as_slice() {
            // The answers have this tag
            let key = Key { ports: back, tag: init.tag };
            if let Some((index, answerer)) = self.by_tag.get(&key) {
                return Some((*index, answerer.other()));
            }
            let index = self.begin(seen, true)?;
            self.by_tag.insert(key, (index, Side::Second));
            self.associations[index].set_tag(Side::First, init.tag);
            return Some((index, Side::First));
        }
        let key = Key { ports: there, tag: packet.tag };
        let known = self.by_tag.get(&key).copied();
        let (index, sender) = known
            .or_else(|| self.find_reflected(packet, back))
            .or_else(|| self.adopt(seen, key))?;
        if let [Control::InitAck(init)] = packet.control.as_slice() {
            self.associations[index].set_tag(sender, init.tag);
            if self.by_tag.len() < MOST_TAGS {
                self.by_tag.insert(Key { ports: back, tag: init.tag }, (index, sender.other()));
            }
        }
        Some((index, sender))
    }

    /// ABORT and SHUTDOWN COMPLETE may have the verification tag of the other direction. RFC 9260 §8.5.1
    fn find_reflected(&self, packet: &Packet, back: [u16; 2]) -> Option<(usize, Side)> {
        let is_reflected = packet.control.iter().any(|chunk| {
            matches!(
                chunk,
                Control::Abort { reflected: true, .. }
                    | Control::ShutdownComplete { reflected: true }
            )
        });
        let key = Key { ports: back, tag: packet.tag };
        let (index, receiver) = self.by_tag.get(&key).filter(|_| is_reflected)?;
        Some((*index, receiver.other()))
    }

    /// The association of a packet with a new verification tag; `None` if the packet may be damaged.
    fn adopt(&mut self, seen: &Seen<'_>, key: Key) -> Option<(usize, Side)> {
        if seen.checksum == Some(false)
            && seen.packet.data.is_empty()
            && seen.packet.control.is_empty()
            && !seen.packet.has_sack
        {
            return None;
        }
        if key.tag == 0 || self.by_tag.len() >= MOST_TAGS {
            return None;
        }
        let [source, destination] = seen.via;
        let [from, to] = key.ports;
        let there = Place { addresses: [source, destination], ports: [from, to] };
        let back = Place { addresses: [destination, source], ports: [to, from] };
        let half = self.by_address.get(&back).copied();
        let half = half.filter(|(index, side)| self.associations[*index].tag(*side).is_none());
        let (index, sender) = match half {
            Some((index, side)) => (index, side.other()),
            None => (self.begin(seen, false)?, Side::First),
        };
        self.by_tag.insert(key, (index, sender));
        self.by_address.insert(there, (index, sender));
        self.associations[index].set_tag(sender.other(), key.tag);
        Some((index, sender))
    }

    fn begin(&mut self, seen: &Seen<'_>, with_init: bool) -> Option<usize> {
        if self.associations.len() >= MOST_ASSOCIATIONS || self.by_tag.len() >= MOST_TAGS {
            return None;
        }
        let ports = [seen.packet.source_port, seen.packet.destination_port];
        let elapsed = elapsed(self.began.unwrap_or(seen.at), seen.at);
        self.associations.push(Association::new(ports, elapsed, with_init));
        Some(self.associations.len() - 1)
    }
}

/// Largest number of associations.
const MOST_ASSOCIATIONS: usize = 1 << 14;
/// Largest number of named interfaces.
const MOST_INTERFACES: usize = 256;
/// Largest number of verification tags.
const MOST_TAGS: usize = 1 << 16;
