//! An endpoint with encoded packets: decodes received packets, encodes sent ones, and measures its memory.

use bytes::Bytes;
use manypath_core::{Encode as _, Packet as _, SansIo as _, Time, Via};
use manypath_sctp::{AssociationId, Config, Endpoint, Event, Message, Packet};

use crate::memory::{Use, measure};

/// An endpoint and its accounting.
pub struct Host {
    endpoint: Endpoint,
    /// Bytes that the endpoint holds. A datagram counts whole if the endpoint holds a slice of it.
    held: i64,
    /// The largest additional memory within one call, in bytes.
    peak: i64,
    /// Received bytes, network headers included.
    received: u64,
    /// Number of events so far.
    heard: u64,
    events: Vec<Event>,
}

/// A sent packet.
pub struct Leaving {
    /// Its addresses.
    pub via: Via,
    /// The bytes after the network header.
    pub bytes: Vec<u8>,
}

impl Host {
    /// A host with secrets from a seed.
    pub fn new(config: Config, seed: u8) -> Self {
        let (endpoint, used) = measure(|| Endpoint::with_seed(config, [seed; 32]));
        Self { endpoint, held: used.left, peak: 0, received: 0, heard: 0, events: Vec::new() }
    }

    /// Runs a command on the endpoint. The result must not hold memory of the endpoint.
    pub fn act<T>(&mut self, act: impl FnOnce(&mut Endpoint) -> T) -> T {
        let (result, used) = measure(|| act(&mut self.endpoint));
        self.charge(used);
        result
    }

    /// Handles a received datagram.
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

    /// The next sent packet.
    ///
    /// # Panics
    /// If the endpoint sends although `may_transmit` was false, or if the size of a packet is wrong.
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

    /// Reads the next message.
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

    /// Handles the next event; returns false if there is none.
    pub fn hear(&mut self) -> bool {
        let (event, used) = measure(|| self.endpoint.poll_event().map(without_content));
        self.charge(used);
        self.heard += u64::from(event.is_some());
        let is_one = event.is_some();
        self.events.extend(event.flatten());
        is_one
    }

    /// Number of events.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// The begins and ends of associations.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The time of the endpoint's next timer.
    pub fn timeout(&self) -> Time {
        self.endpoint.poll_timeout()
    }

    /// Bytes that the endpoint holds.
    pub fn held(&self) -> i64 {
        self.held
    }

    /// The largest additional memory within one call, in bytes.
    pub fn peak(&self) -> i64 {
        self.peak
    }

    /// Received bytes, network headers included.
    pub fn received(&self) -> u64 {
        self.received
    }

    fn charge(&mut self, used: Use) {
        self.held += used.left;
        self.peak = self.peak.max(used.peak);
    }
}

/// Events of a begin or an end; other events may hold memory.
fn without_content(event: Event) -> Option<Event> {
    let is_kept = matches!(
        event,
        Event::Connected(_) | Event::Incoming(_) | Event::Restarted(_) | Event::Closed { .. }
    );
    is_kept.then_some(event)
}

/// Bytes of an IPv4 header.
pub const NETWORK_HEADER: usize = 20;
