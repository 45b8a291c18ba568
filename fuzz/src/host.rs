//! An endpoint behind bytes: what arrives is decoded, what leaves is encoded, and its memory is measured.

use bytes::Bytes;
use manypath_core::{Encode as _, Packet as _, SansIo as _, Time, Via};
use manypath_sctp::{AssociationId, Config, Endpoint, Event, Message, Packet};

use crate::memory::{Use, measure};

/// An endpoint and its account.
pub struct Host {
    endpoint: Endpoint,
    /// Bytes that the endpoint holds, the datagrams included that it has slices of.
    held: i64,
    /// The most bytes that one call held beyond those before it.
    peak: i64,
    /// Bytes that arrived, network headers included.
    received: u64,
    /// Events so far.
    heard: u64,
    events: Vec<Event>,
}

/// A packet that leaves.
pub struct Leaving {
    /// Its way.
    pub via: Via,
    /// Everything above the network header.
    pub bytes: Vec<u8>,
}

impl Host {
    /// A host whose secrets come from a seed.
    pub fn new(config: Config, seed: u8) -> Self {
        let (endpoint, used) = measure(|| Endpoint::with_seed(config, [seed; 32]));
        Self { endpoint, held: used.left, peak: 0, received: 0, heard: 0, events: Vec::new() }
    }

    /// Lets the owner of the endpoint do something with it. What comes of it must hold no memory.
    pub fn act<T>(&mut self, act: impl FnOnce(&mut Endpoint) -> T) -> T {
        let (result, used) = measure(|| act(&mut self.endpoint));
        self.charge(used);
        result
    }

    /// A datagram arrives.
    pub fn receive(&mut self, now: Time, via: Via, bytes: &[u8]) {
        self.received += (bytes.len() + NETWORK_HEADER) as u64;
        let ((), used) = measure(|| {
            let datagram = Bytes::copy_from_slice(bytes);
            let mut packet = Packet::default();
            match packet.decode(&datagram, NETWORK_HEADER as u16) {
                Err(error) if error.rule == manypath_sctp::Rule::Checksum => {
                    self.endpoint.handle_damaged_bytes(via, &packet, &datagram, None);
                }
                Err(error) if error.discards_packet() => {}
                _ => self.endpoint.handle_packet(now, via, &mut packet),
            }
        });
        self.charge(used);
    }

    /// The next packet that leaves.
    ///
    /// # Panics
    /// If the endpoint has said before that nothing more would leave, or if a packet has not the size that it says.
    pub fn transmit(&mut self, now: Time) -> Option<Leaving> {
        let may_transmit = self.endpoint.may_transmit();
        let ((via, packet), used) = measure(|| {
            let mut packet = Packet::default();
            (self.endpoint.poll_transmit(now, &mut packet), packet)
        });
        self.charge(used);
        let leaving = via.map(|via| {
            assert!(may_transmit, "the endpoint said at {now} that nothing more would leave");
            let mut bytes = Vec::new();
            packet.encode(via, &(), &mut bytes);
            let header = usize::from(packet.network_header);
            assert_eq!(packet.size(), header + bytes.len(), "{packet:?}");
            Leaving { via, bytes }
        });
        let ((), used) = measure(|| drop(packet));
        self.charge(used);
        leaving
    }

    /// The next message that waits to be read.
    pub fn read(&mut self, now: Time, id: AssociationId) -> Option<Message> {
        let (message, used) = measure(|| self.endpoint.receive(now, id));
        self.charge(used);
        let message = message?;
        let Message { stream, ppid, unordered, ref payload, part } = message;
        let payload = Bytes::copy_from_slice(payload);
        let copy = Message { stream, ppid, unordered, payload, part };
        let ((), used) = measure(|| drop(message));
        self.charge(used);
        Some(copy)
    }

    /// Takes note of the next event; false if there is none.
    pub fn hear(&mut self) -> bool {
        let (event, used) = measure(|| self.endpoint.poll_event().map(without_content));
        self.charge(used);
        self.heard += u64::from(event.is_some());
        let is_one = event.is_some();
        self.events.extend(event.flatten());
        is_one
    }

    /// How many events there were.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// How associations began and ended.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// When the endpoint wants to be woken.
    pub fn timeout(&self) -> Time {
        self.endpoint.poll_timeout()
    }

    /// Bytes that the endpoint holds.
    pub fn held(&self) -> i64 {
        self.held
    }

    /// The most bytes that one call held beyond those before it.
    pub fn peak(&self) -> i64 {
        self.peak
    }

    /// Bytes that arrived, network headers included.
    pub fn received(&self) -> u64 {
        self.received
    }

    fn charge(&mut self, used: Use) {
        self.held += used.left;
        self.peak = self.peak.max(used.peak);
    }
}

/// Events of a beginning or an end; the others may hold memory.
fn without_content(event: Event) -> Option<Event> {
    let is_kept = matches!(
        event,
        Event::Connected(_) | Event::Incoming(_) | Event::Restarted(_) | Event::Closed { .. }
    );
    is_kept.then_some(event)
}

/// Bytes of an IPv4 header.
pub const NETWORK_HEADER: usize = 20;
