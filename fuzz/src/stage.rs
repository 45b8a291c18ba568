//! Two hosts and the paths between them in virtual time, with encoded packets and an attacker who sees them.

use std::collections::BTreeMap;

use bolero::TypeGenerator;
use bytes::Bytes;
use manypath_core::{Span, Time, Via};
use manypath_sctp::{
    AssociationId, CloseReason, Control, Endpoint, Event, Message, Packet, SendError,
};

use crate::forge::{COMMON_HEADER, Changes, Heard, seal};
use crate::host::{Host, NETWORK_HEADER};
use crate::setting::{A, Setting, Side, Z};

/// What the network does to a packet.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Fault {
    /// It arrives after 10 ms.
    None,
    /// It is lost.
    Lose,
    /// It arrives twice; the second copy is delayed by this number of milliseconds.
    Duplicate(u8),
    /// It is delayed by this number of milliseconds.
    Delay(u8),
    /// It arrives modified, with its original checksum.
    Damage(Changes),
    /// It arrives modified, with a right checksum.
    Change(Changes),
}

/// Two hosts, the packets between them, and an attacker's knowledge of each.
pub struct Stage {
    /// Virtual time.
    pub now: Time,
    hosts: [Host; 2],
    heard: [Heard; 2],
    under_way: BTreeMap<(Time, u64), Arrival>,
    /// The faults of the next packets, in reverse order; further packets have none.
    pub faults: Vec<Fault>,
    /// Number of packets so far.
    packets: u64,
    /// Number of packets that the network has carried so far, including copies.
    carried: u64,
    /// Number of wake-ups so far.
    wakes: u64,
}

struct Arrival {
    at: Side,
    via: Via,
    bytes: Vec<u8>,
}

/// The association of all stories; both sides use the same identifier.
pub const FIRST: AssociationId = AssociationId(0);

impl Stage {
    /// Two hosts without an association.
    #[must_use]
    pub fn new(setting: &Setting, patient: bool) -> Self {
        let host =
            |side: Side| Host::new(setting.config(side, patient), setting.seed ^ (side as u8) << 7);
        let heard = |side: Side| {
            let ports = (side.other().port(), side.port());
            Heard { ports, ..Heard::default() }
        };
        Self {
            now: Time::ZERO,
            hosts: [A, Z].map(host),
            heard: [A, Z].map(heard),
            under_way: BTreeMap::new(),
            faults: Vec::new(),
            packets: 0,
            carried: 0,
            wakes: 0,
        }
    }

    /// A opens an association on all paths.
    pub fn open(&mut self, setting: &Setting) {
        let vias: Vec<Via> = (0..setting.paths).map(|path| A.via(path)).collect();
        let now = self.now;
        self.act(A, |endpoint| endpoint.connect(now, &vias, Z.port()));
    }

    /// One of the hosts.
    #[must_use]
    pub fn host(&self, side: Side) -> &Host {
        &self.hosts[side as usize]
    }

    /// An attacker's knowledge of a host.
    #[must_use]
    pub fn heard(&self, side: Side) -> &Heard {
        &self.heard[side as usize]
    }

    /// Number of packets that both hosts have sent.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Number of wake-ups of the hosts.
    #[must_use]
    pub fn wakes(&self) -> u64 {
        self.wakes
    }

    /// Runs a command on an endpoint.
    pub fn act<T>(&mut self, side: Side, act: impl FnOnce(&mut Endpoint) -> T) -> T {
        let result = self.hosts[side as usize].act(act);
        self.drain(side);
        result
    }

    /// Sends a message.
    ///
    /// # Errors
    /// As [`Endpoint::send`].
    pub fn send(&mut self, side: Side, message: Message) -> Result<(), SendError> {
        let now = self.now;
        self.act(side, |endpoint| endpoint.send(now, FIRST, message))
    }

    /// Reads the next message of a side.
    pub fn read(&mut self, side: Side) -> Option<Message> {
        let message = self.hosts[side as usize].read(self.now, FIRST);
        self.drain(side);
        message
    }

    /// Aborts the association of a side and forgets it.
    pub fn abandon(&mut self, side: Side) {
        let now = self.now;
        self.act(side, |endpoint| {
            endpoint.abort(now, FIRST);
            endpoint.forget(FIRST);
        });
    }

    /// Delivers a forged packet; returns the number of packets that it causes.
    pub fn inject(&mut self, at: Side, via: Via, bytes: &[u8]) -> u64 {
        let before = self.packets;
        self.hosts[at as usize].receive(self.now, via, bytes);
        self.drain(at);
        self.packets - before
    }

    /// The reason why the association of a side has ended, if it has.
    #[must_use]
    pub fn close_reason(&self, side: Side) -> Option<CloseReason> {
        self.host(side).events().iter().rev().find_map(|event| match event {
            Event::Closed { association: FIRST, reason } => Some(*reason),
            _ => None,
        })
    }

    /// The time of the next event.
    #[must_use]
    pub fn next(&self) -> Time {
        let arrival = self.under_way.keys().next().map_or(Time::NEVER, |key| key.0);
        self.hosts.iter().map(Host::timeout).fold(arrival, Time::min)
    }

    /// Handles the next event; returns false if there is none.
    ///
    /// # Panics
    /// If a host does not handle its timer, or if time would decrease.
    pub fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.now = next;
        while let Some(entry) = self.under_way.first_entry().filter(|it| it.key().0 <= next) {
            let Arrival { at, via, bytes } = entry.remove();
            self.hosts[at as usize].receive(next, via, &bytes);
            self.drain(at);
        }
        for side in [A, Z] {
            if self.host(side).timeout() <= next {
                self.wakes += 1;
                self.act(side, |endpoint| manypath_core::SansIo::handle_timeout(endpoint, next));
                let timeout = self.host(side).timeout();
                assert!(timeout > next, "{side:?} does not act on a timer at {next}");
            }
        }
        true
    }

    /// Handles all events within a time span.
    pub fn drive(&mut self, span: Span) {
        let end = self.now + span;
        while self.next() <= end {
            self.step();
        }
        self.now = end;
    }

    /// Handles events until `done` returns true; returns false after the time limit.
    pub fn drive_until(&mut self, limit: Span, mut done: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.now + limit;
        loop {
            if done(self) {
                return true;
            }
            if self.next() > end || !self.step() {
                return false;
            }
        }
    }

    /// Takes all packets and events of an endpoint.
    fn drain(&mut self, side: Side) {
        let mut packets = 0;
        while let Some(leaving) = self.hosts[side as usize].transmit(self.now) {
            packets += 1;
            assert!(packets <= MOST_AT_ONCE, "{side:?} never stops sending at {}", self.now);
            self.overhear(side, &leaving.bytes);
            self.carry(side, leaving.via, leaving.bytes);
        }
        while self.hosts[side as usize].hear() {}
    }

    /// Checks that sent packets can be decoded, and updates the attacker's knowledge.
    fn overhear(&mut self, from: Side, bytes: &[u8]) {
        let mut packet = Packet::default();
        let datagram = Bytes::copy_from_slice(bytes);
        let result = packet.decode(&datagram, NETWORK_HEADER as u16);
        assert_eq!(result, Ok(()), "{from:?} sends what it would not read: {packet:?}");
        let [own, other] = [from, from.other()].map(|side| side as usize);
        if packet.tag != 0 {
            self.heard[other].tag = packet.tag;
            self.heard[own].peer_tag = packet.tag;
        }
        for chunk in &packet.control {
            match chunk {
                Control::Init(init) | Control::InitAck(init) => {
                    self.heard[own].own_tsn = init.initial_tsn.previous();
                    self.heard[own].acknowledged = init.initial_tsn.previous();
                    self.heard[other].peer_tsn = init.initial_tsn.previous();
                    self.heard[own].cookie = init.cookie.as_deref().unwrap_or_default().to_vec();
                }
                Control::Heartbeat(_) => self.heard[own].probe = probe(bytes),
                _ => {}
            }
        }
        if packet.has_sack {
            let acknowledged = &mut self.heard[other].acknowledged;
            *acknowledged = acknowledged.max_serial(packet.sack.cumulative);
        }
        for chunk in &packet.data {
            self.heard[own].own_tsn = self.heard[own].own_tsn.max_serial(chunk.tsn);
            self.heard[other].peer_tsn = self.heard[other].peer_tsn.max_serial(chunk.tsn);
        }
        if !packet.data.is_empty() {
            self.heard[own].sent_data = bytes.to_vec();
        }
        self.heard[own].sent = bytes.to_vec();
        self.packets += 1;
    }

    fn carry(&mut self, from: Side, via: Via, mut bytes: Vec<u8>) {
        let mut delay = DELAY;
        match self.faults.pop().unwrap_or(Fault::None) {
            Fault::None => {}
            Fault::Lose => return,
            Fault::Duplicate(later) => {
                let later = DELAY + Span::from_millis(later.into());
                self.put(from, via, bytes.clone(), later);
            }
            Fault::Delay(later) => delay += Span::from_millis(later.into()),
            Fault::Damage(changes) => changes.apply(0, &mut bytes),
            Fault::Change(changes) => {
                changes.apply(0, &mut bytes);
                seal(&mut bytes);
            }
        }
        self.put(from, via, bytes, delay);
    }

    fn put(&mut self, from: Side, via: Via, bytes: Vec<u8>, delay: Span) {
        let arrival = Arrival { at: from.other(), via: via.reversed(), bytes };
        self.under_way.insert((self.now + delay, self.carried), arrival);
        self.carried += 1;
    }
}

/// The information of the HEARTBEAT at the begin of a packet.
fn probe(packet: &[u8]) -> Vec<u8> {
    let chunk = packet.get(COMMON_HEADER..).unwrap_or_default();
    let length = chunk.get(6..8).map_or(0, |it| usize::from(u16::from_be_bytes([it[0], it[1]])));
    chunk.get(8..4 + length).unwrap_or_default().to_vec()
}

/// One-way delay.
const DELAY: Span = Span::from_millis(10);
/// Largest number of packets of a host at one instant.
const MOST_AT_ONCE: u64 = 1_000;
