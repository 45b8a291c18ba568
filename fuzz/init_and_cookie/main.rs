//! Unknown peers: INIT; genuine, modified, stale and used cookies; and other out-of-the-blue packets.

use std::collections::BTreeSet;

use bolero::TypeGenerator;
use bytes::Bytes;
use manypath_core::{Address, Span, Time, Via};
use manypath_fuzz::SHRINK_TIME;
use manypath_fuzz::forge::{Changes, Forgery, Heard, header, seal};
use manypath_fuzz::host::{Host, NETWORK_HEADER};
use manypath_sctp::{AssociationId, Config, Control, Endpoint, Event, Packet};

#[derive(Clone, Debug, TypeGenerator)]
struct Story {
    /// Number of addresses of the endpoint.
    #[generator(1..=3_u8)]
    addresses: u8,
    /// Largest number of associations that wait to be accepted.
    #[generator(bolero::produce::<Option<u8>>().with().value(0..4_u8))]
    backlog: Option<u8>,
    #[generator(1..=6_u8)]
    most_associations: u8,
    seed: u8,
    #[generator(bolero::produce::<Vec<Act>>().with().len(0..=32_usize))]
    acts: Vec<Act>,
}

#[derive(Clone, Debug, TypeGenerator)]
enum Act {
    /// This number of seconds passes.
    Wait(u8),
    /// Any packet.
    Send { from: UnknownPeer, forgery: Forgery },
    /// An ordinary INIT.
    Init { from: UnknownPeer, tag: u32 },
    /// A cookie that the endpoint has issued, possibly modified, with its tag.
    Echo { from: UnknownPeer, which: u8, changes: Changes },
    /// The endpoint opens an association itself.
    Connect(UnknownPeer),
    /// The application accepts a waiting association.
    Accept,
    /// The application ends an association.
    End { which: u8, abort: bool },
    /// The application forgets ended associations.
    Forget,
    /// The endpoint starts or stops to listen.
    Listen(bool),
}

/// An unknown peer: one of three hosts with two ports.
#[derive(Clone, Copy, Debug, Eq, PartialEq, TypeGenerator)]
struct UnknownPeer {
    #[generator(0..3_u8)]
    host: u8,
    #[generator(0..2_u8)]
    port: u8,
    /// Index of the endpoint's address.
    #[generator(0..3_u8)]
    to: u8,
}

impl UnknownPeer {
    fn via(self) -> Via {
        Via { local: own_address(self.to), remote: Address::v4(10, 0, 0, 1 + self.host) }
    }

    fn port(self) -> u16 {
        7000 + u16::from(self.port)
    }
}

fn own_address(index: u8) -> Address {
    Address::v4(10, index, 0, 200)
}

/// An issued cookie, with the data that is needed to echo it.
struct Issued {
    cookie: Bytes,
    tag: u32,
    at: Time,
    /// Whether it has opened an association, or was created while one was being opened.
    is_spent: bool,
}

struct Door {
    host: Host,
    now: Time,
    issued: Vec<Issued>,
    /// Tags and cookies of sent packets, for forged packets.
    heard: Heard,
    /// Associations that unknown peers have opened.
    opened: BTreeSet<AssociationId>,
    /// Associations that the endpoint has opened.
    own: BTreeSet<AssociationId>,
    most_associations: usize,
    /// Bytes that the endpoint held before the first packet.
    empty: i64,
}

fn main() {
    let check = bolero::check!().with_type().with_max_depth(16).with_iterations(0);
    check.with_shrink_time(SHRINK_TIME).for_each(run);
}

fn run(story: &Story) {
    let config = Config {
        port: PORT,
        local: (0..story.addresses).map(own_address).collect(),
        backlog: story.backlog.map(usize::from),
        max_associations: story.most_associations.into(),
        nr_sack: true,
        packet_drop_reports: true,
        chunk_overhead: 200,
        copy_payloads_below: 400,
        detailed_events: true,
        ..Config::default()
    };
    let host = Host::new(config, story.seed);
    let empty = host.held();
    let mut door = Door {
        host,
        now: Time::ZERO,
        issued: Vec::new(),
        heard: Heard::default(),
        opened: BTreeSet::new(),
        own: BTreeSet::new(),
        most_associations: story.most_associations.into(),
        empty,
    };
    for act in &story.acts {
        door.act(act);
        door.is_bounded();
    }
}

impl Door {
    fn act(&mut self, act: &Act) {
        let now = self.now;
        match act {
            Act::Wait(seconds) => self.wait(Span::from_secs((*seconds).into())),
            Act::Send { from, forgery } => {
                self.heard.ports = (from.port(), PORT);
                for packet in forgery.packets(&self.heard) {
                    self.deliver(*from, &packet);
                }
            }
            Act::Init { from, tag } => {
                let mut packet = header((from.port(), PORT), 0);
                packet.extend([1, 0, 0, 20]);
                packet.extend(tag.to_be_bytes());
                packet.extend([0, 1, 0, 0, 0, 5, 0, 5, 0, 0, 0, 9]);
                seal(&mut packet);
                self.deliver(*from, &packet);
            }
            Act::Echo { from, which, changes } => self.echo(*from, *which, changes),
            Act::Connect(peer) if self.own.len() < 3 => {
                let id = self.host.act(|it| it.connect(now, &[peer.via()], peer.port()));
                self.own.insert(id);
                self.drain();
            }
            Act::Connect(_) => {}
            Act::Accept => drop(self.host.act(|endpoint| endpoint.accept().is_some())),
            Act::End { which, abort } => {
                let known: Vec<_> = self.opened.iter().chain(&self.own).copied().collect();
                let Some(&id) = known.get(usize::from(*which) % known.len().max(1)) else { return };
                self.host.act(|endpoint| match abort {
                    true => endpoint.abort(now, id),
                    false => endpoint.shutdown(now, id),
                });
                self.drain();
            }
            Act::Forget => {
                for &id in self.opened.iter().chain(&self.own) {
                    self.host.act(|endpoint| endpoint.forget(id));
                }
            }
            Act::Listen(true) => self.host.act(|endpoint| endpoint.listen(2)),
            Act::Listen(false) => self.host.act(Endpoint::stop_listening),
        }
    }

    fn echo(&mut self, from: UnknownPeer, which: u8, changes: &Changes) {
        let count = self.issued.len().max(1);
        let Some(issued) = self.issued.get(usize::from(which) % count) else { return };
        let mut cookie = issued.cookie.to_vec();
        changes.apply(0, &mut cookie);
        let mut packet = header((from.port(), PORT), issued.tag);
        packet.extend([10, 0]);
        packet.extend((4 + cookie.len() as u16).to_be_bytes());
        packet.extend(cookie);
        seal(&mut packet);
        self.deliver(from, &packet);
    }

    /// Delivers a packet, and checks its cost and its effect.
    fn deliver(&mut self, from: UnknownPeer, packet: &[u8]) {
        let is_first = self.opened.is_empty() && self.own.is_empty();
        let valid = self.valid_cookie(packet);
        let known = self.opened.len();
        self.host.receive(self.now, from.via(), packet);
        let leaving = self.drain();
        assert!(leaving.len() <= MOST_ANSWERS, "{} packets answer one", leaving.len());
        match valid {
            Some(index) if self.opened.len() > known => {
                self.issued[index].is_spent = true;
                let alive = self.alive();
                assert!(alive <= self.most_associations, "{alive} associations");
            }
            _ => assert_eq!(self.opened.len(), known, "no valid cookie came"),
        }
        if is_first && self.opened.is_empty() {
            self.is_stateless(from, packet, &leaving);
        }
    }

    /// The cookie of a packet, if it may create an association.
    fn valid_cookie(&self, packet: &[u8]) -> Option<usize> {
        let mut read = Packet::default();
        let datagram = Bytes::copy_from_slice(packet);
        let result = read.decode(&datagram, NETWORK_HEADER as u16);
        if result.is_err_and(|error| error.discards_packet()) {
            return None;
        }
        let Some(Control::CookieEcho(cookie)) = read.control.first() else { return None };
        let index = self.issued.iter().position(|issued| issued.cookie == *cookie)?;
        let Issued { at, is_spent, .. } = self.issued[index];
        let is_fresh = self.now.saturating_since(at) <= COOKIE_LIFE;
        (is_fresh && !is_spent).then_some(index)
    }

    /// Checks that no state is kept for an unknown peer, and that an answer is small and goes to the source.
    fn is_stateless(&self, from: UnknownPeer, packet: &[u8], leaving: &[(Via, usize)]) {
        let held = self.host.held() - self.empty;
        assert!(held <= HELD_FOR_UNKNOWN_PEERS, "{held} bytes are held for unknown peers");
        assert!(leaving.len() <= 1, "{} answers", leaving.len());
        for (via, size) in leaving {
            assert_eq!(*via, from.via(), "the answer goes elsewhere");
            let asked = packet.len() + NETWORK_HEADER;
            assert!(*size <= (2 * asked + MOST_ADDED).min(MTU), "{size} bytes answer {asked}");
        }
    }

    fn wait(&mut self, span: Span) {
        let end = self.now + span;
        let mut wakes = 0;
        while self.host.timeout() <= end {
            self.now = self.now.max(self.host.timeout());
            let now = self.now;
            self.host.act(|endpoint| manypath_core::SansIo::handle_timeout(endpoint, now));
            let leaving = self.drain();
            assert!(leaving.len() <= MOST_ANSWERS, "{} packets leave at once", leaving.len());
            wakes += 1;
            assert!(wakes <= MOST_WAKES, "{wakes} wake-ups within {span}");
        }
        self.now = end;
    }

    /// Takes the sent packets, and finds cookies and new associations in them.
    fn drain(&mut self) -> Vec<(Via, usize)> {
        let seen = self.host.events().len();
        let mut sent = Vec::new();
        while let Some(leaving) = self.host.transmit(self.now) {
            assert!(sent.len() < 1_000, "the endpoint never stops sending");
            sent.push((leaving.via, leaving.bytes.len() + NETWORK_HEADER));
            self.overhear(leaving.bytes);
        }
        while self.host.hear() {}
        for event in &self.host.events()[seen..] {
            if let Event::Connected(id) | Event::Incoming(id) = event
                && !self.own.contains(id)
            {
                self.opened.insert(*id);
            }
        }
        sent
    }

    fn overhear(&mut self, bytes: Vec<u8>) {
        let mut packet = Packet::default();
        let result = packet.decode(&bytes.into(), NETWORK_HEADER as u16);
        assert_eq!(result, Ok(()), "the endpoint sends what it would not read: {packet:?}");
        if packet.tag != 0 {
            self.heard.peer_tag = packet.tag;
        }
        for chunk in &packet.control {
            match chunk {
                Control::InitAck(init) => {
                    let Some(cookie) = init.cookie.clone() else { panic!("{init:?}") };
                    self.heard.tag = init.tag;
                    self.heard.cookie = cookie.to_vec();
                    let (tag, at) = (init.tag, self.now);
                    self.issued.push(Issued { cookie, tag, at, is_spent: false });
                }
                Control::Init(init) => self.heard.tag = init.tag,
                _ => {}
            }
        }
    }

    fn is_bounded(&self) {
        let opened = self.opened.len();
        let most = HELD_FOR_UNKNOWN_PEERS
            + (self.opened.len() + self.own.len()) as i64 * HELD_FOR_ASSOCIATION
            + HELD_FOR_A_BYTE * self.host.received() as i64;
        let held = self.host.held() - self.empty;
        assert!(held <= most, "{held} bytes are held for {opened} associations");
    }

    /// Number of associations that have not ended.
    fn alive(&self) -> usize {
        let has_ended = |id: &&AssociationId| {
            let ends = |event: &Event| matches!(event, Event::Closed { association, .. } if association == *id);
            self.host.events().iter().any(ends)
        };
        self.opened.union(&self.own).filter(|id| !has_ended(id)).count()
    }
}

const PORT: u16 = 5001;
/// Lifetime of a cookie.
const COOKIE_LIFE: Span = Span::from_secs(60);
/// Largest number of packets that one packet causes.
const MOST_ANSWERS: usize = 8;
/// Largest number of wake-ups within four minutes.
const MOST_WAKES: usize = 2_000;
/// Bytes that an endpoint may hold for all unknown peers together.
const HELD_FOR_UNKNOWN_PEERS: i64 = 2_048;
/// Bytes that an idle association may hold.
const HELD_FOR_ASSOCIATION: i64 = 24_576;
/// Bytes that a received byte may hold, in chunks of two bytes that begin messages without an end.
const HELD_FOR_A_BYTE: i64 = 24;
/// Bytes by which an answer to an unknown peer may be longer than twice the request. In addition to INIT, INIT ACK has
/// the cookie and the addresses of the endpoint, and an address in a cookie or a reported parameter is twice as long as
/// in INIT.
const MOST_ADDED: usize = 100;
/// The largest packet.
const MTU: usize = 1500;
