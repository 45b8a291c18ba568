//! One endpoint with many peers: the cost of each, and the state that remains of those that are gone.

use std::collections::VecDeque;

use manypath_core::{Address, SansIo, Span, Streams, Time, Via};
use manypath_sctp::{AssociationId, Config, Control, Endpoint, Event, Packet};

use crate::pair::message;

/// A server and its peers, each with its own address. Packets arrive without delay.
pub(crate) struct Crowd {
    pub(crate) now: Time,
    pub(crate) server: Endpoint,
    peers: Vec<Peer>,
    /// The packets of the server with the number of the peer, while the story records them.
    pub(crate) sent: Vec<(usize, Packet)>,
    pub(crate) events: Vec<Event>,
}

struct Peer {
    endpoint: Endpoint,
    id: Option<AssociationId>,
}

impl Crowd {
    pub(crate) fn new(change: impl Fn(&mut Config)) -> Self {
        let mut config = Config { port: SERVER_PORT, local: vec![SERVER], ..Config::default() };
        change(&mut config);
        Self {
            now: Time::ZERO,
            server: Endpoint::new(config, &Streams::new(1, 0), "server"),
            peers: Vec::new(),
            sent: Vec::new(),
            events: Vec::new(),
        }
    }

    /// A new peer begins to open an association with the server; returns its number.
    pub(crate) fn call(&mut self) -> usize {
        let number = self.peers.len();
        let config = Config { local: vec![address(number)], ..Config::default() };
        let name = format!("peer {number}");
        let endpoint = Endpoint::new(config, &Streams::new(1, 0), &name);
        self.peers.push(Peer { endpoint, id: None });
        self.call_again(number);
        number
    }

    /// A peer begins to open a further association.
    pub(crate) fn call_again(&mut self, number: usize) {
        let peer = &mut self.peers[number];
        let via = via_of(number).reversed();
        peer.id = Some(peer.endpoint.connect(self.now, &[via], SERVER_PORT));
        self.deliver_from(number);
    }

    /// Runs a command on a peer's association.
    pub(crate) fn act(
        &mut self,
        number: usize,
        act: impl FnOnce(&mut Endpoint, AssociationId, Time),
    ) {
        let peer = &mut self.peers[number];
        act(&mut peer.endpoint, peer.id.expect("the peer has called"), self.now);
        self.deliver_from(number);
    }

    /// Delivers all packets in both directions until there are none.
    pub(crate) fn deliver(&mut self) {
        let mut packet = Packet::default();
        while let Some(via) = self.server.poll_transmit(self.now, &mut packet) {
            let number = number_of(via.remote);
            self.sent.push((number, packet.clone()));
            if let Some(peer) = self.peers.get_mut(number) {
                peer.endpoint.handle_packet(self.now, via.reversed(), &mut packet);
                self.collect_from(number);
            }
            packet = Packet::default();
        }
        while let Some(event) = self.server.poll_event() {
            self.events.push(event);
        }
    }

    fn deliver_from(&mut self, number: usize) {
        self.collect_from(number);
        self.deliver();
    }

    fn collect_from(&mut self, number: usize) {
        let mut packets = VecDeque::new();
        let mut packet = Packet::default();
        let endpoint = &mut self.peers[number].endpoint;
        while endpoint.poll_transmit(self.now, &mut packet).is_some() {
            packets.push_back(std::mem::take(&mut packet));
        }
        while endpoint.poll_event().is_some() {}
        for mut packet in packets {
            self.server.handle_packet(self.now, via_of(number), &mut packet);
        }
    }

    /// Advances the time and handles the server's timers.
    pub(crate) fn wait(&mut self, span: Span) {
        let end = self.now + span;
        while self.server.poll_timeout() <= end {
            self.now = self.server.poll_timeout();
            self.server.handle_timeout(self.now);
            self.deliver();
            assert!(self.server.poll_timeout() > self.now, "a timer is not acted on");
        }
        self.now = end;
    }

    /// Associations that were established on the server since the last call.
    pub(crate) fn connected(&mut self) -> Vec<AssociationId> {
        let stand = |event| match event {
            Event::Connected(id) => Some(id),
            _ => None,
        };
        self.events.drain(..).filter_map(stand).collect()
    }
}

const SERVER_PORT: u16 = 80;
const SERVER: Address = Address::v4(192, 0, 2, 1);

pub(crate) fn address(number: usize) -> Address {
    Address::v4(10, (number / 65536) as u8, (number / 256 % 256) as u8, (number % 256) as u8)
}

fn number_of(address: Address) -> usize {
    (address.bits() & 0xff_ffff) as usize
}

/// The addresses of a peer as the server sees them.
pub(crate) fn via_of(number: usize) -> Via {
    Via { local: SERVER, remote: address(number) }
}

#[test]
fn associations_take_turns_in_the_order_in_which_they_were_opened() {
    let mut crowd = Crowd::new(|config| config.nagle = false);
    for _ in 0..200 {
        crowd.call();
    }
    let ids = crowd.connected();
    assert_eq!(ids.len(), 200);
    crowd.sent.clear();
    for &id in ids.iter().rev() {
        for _ in 0..2 {
            crowd.server.send(crowd.now, id, message(1400)).unwrap();
        }
    }
    // Without answers in between, each sends one packet in turn
    let mut order = Vec::new();
    let mut packet = Packet::default();
    while let Some(via) = crowd.server.poll_transmit(crowd.now, &mut packet) {
        order.push(number_of(via.remote));
        packet = Packet::default();
    }
    // The turn continues after the handshakes
    assert_eq!(order.len(), 400);
    let first = order[0];
    let expected: Vec<usize> = (0..400).map(|place| (first + place) % 200).collect();
    assert_eq!(order, expected);
}

#[test]
fn each_of_many_associations_wakes_the_endpoint_for_itself_alone() {
    let mut crowd = Crowd::new(|_| ());
    for number in 0..100 {
        crowd.wait(Span::from_millis(100));
        assert_eq!(crowd.call(), number);
    }
    crowd.sent.clear();
    // Longer than HB.interval, one RTO and half of it
    crowd.wait(Span::from_secs(32));
    let mut probed: Vec<usize> = crowd.sent.iter().map(|(number, _)| *number).collect();
    assert!(
        crowd.sent.iter().all(|(_, packet)| matches!(packet.control[..], [Control::Heartbeat(_)]))
    );
    probed.sort_unstable();
    assert_eq!(probed, (0..100).collect::<Vec<_>>());
}

#[test]
fn the_slot_of_a_forgotten_association_is_reused_with_a_new_identifier() {
    let mut crowd = Crowd::new(|_| ());
    crowd.call();
    let stays = crowd.connected()[0];
    let mut ids = vec![stays];
    for number in 1..50 {
        crowd.call();
        crowd.act(number, |peer, id, now| peer.shutdown(now, id));
        let id = crowd.connected()[0];
        assert!(!ids.contains(&id), "{id:?} comes twice");
        crowd.server.forget(id);
        ids.push(id);
    }
    let places = ids.iter().map(|id| id.0 as u32).max();
    assert_eq!(places, Some(1), "two places are enough for two associations at a time");
    // An old identifier does not reach the new association in the same slot
    crowd.call();
    let new = crowd.connected()[0];
    let old = ids[49];
    assert_eq!(old.0 as u32, new.0 as u32);
    assert_eq!(crowd.server.send_space(old), 0);
    assert!(crowd.server.send(crowd.now, old, message(1)).is_err());
    crowd.server.abort(crowd.now, old);
    crowd.server.forget(old);
    assert!(crowd.server.send(crowd.now, new, message(1)).is_ok());
    assert!(crowd.server.send(crowd.now, stays, message(1)).is_ok());
}

#[test]
fn a_closed_association_that_is_not_forgotten_is_not_found_any_more() {
    let mut crowd = Crowd::new(|_| ());
    for number in 0..3 {
        crowd.call();
        crowd.act(number, |peer, id, now| peer.abort(now, id));
    }
    let closed = crowd.connected();
    assert_eq!(closed.len(), 3);
    // The same peers open new associations, which are neither matched with the old ones nor regarded as restarts
    for number in 0..3 {
        crowd.call_again(number);
    }
    let new = crowd.connected();
    assert_eq!(new.len(), 3);
    assert!(new.iter().all(|id| !closed.contains(id)));
    for &id in &closed {
        assert!(crowd.server.send(crowd.now, id, message(1)).is_err());
    }
}
