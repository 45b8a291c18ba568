//! Packets that open an association, and packets without an association. RFC 9260 §5.1, §5.2, §8.4, §8.5

use std::sync::Arc;

use manypath_core::{Address, Scope, Time, Via};

use super::{Endpoint, Reply};
use crate::association::{
    Association, Cookie, CookieVerdict, InitAnswer, MAX_PATHS, Notice, Terms, acceptable,
    check_init, first_tsn, own_init,
};
use crate::packet::{CHUNK_HEADER, COMMON_HEADER, Cause, Control, Init, Packet};
use crate::path;

impl Endpoint {
    /// Handles a packet with control chunks if it needs more than the association of its tag; returns whether it was
    /// handled.
    pub(super) fn handle_special(&mut self, now: Time, via: Via, packet: &mut Packet) -> bool {
        let is_alone = packet.control.len() == 1 && !packet.has_sack && packet.data.is_empty();
        match packet.control.first() {
            Some(first) if must_be_alone(first) && !is_alone => {}
            Some(Control::Init(_)) => self.handle_init(now, via, packet),
            Some(Control::CookieEcho(_)) => self.handle_cookie_echo(now, via, packet),
            Some(Control::ShutdownAck) => return self.refuse_early_shutdown_ack(via, packet),
            _ if packet.control.iter().any(is_reflected) => self.handle_reflected(now, via, packet),
            _ => return false,
        }
        true
    }

    /// Answers INIT without keeping state. RFC 9260 §5.1 B, §5.2.1, §5.2.2
    fn handle_init(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Some(Control::Init(mut init)) = packet.control.pop() else { return };
        if packet.tag != 0 || init.tag == 0 || !is_between_hosts(via) {
            return;
        }
        let port = packet.source_port;
        init.addresses = self.acceptable_addresses(via, &init.addresses);
        if let Err(cause) = check_init(&init) {
            return self.reply(via, port, init.tag, abort(cause));
        }
        let senders = std::iter::once(via.remote).chain(init.addresses.iter().copied());
        let known = self.with_peer(port, senders, |_| true);
        let answer = known
            .and_then(|index| self.touch(index))
            .map(|association| association.answer_init(via, &init));
        if answer.is_none()
            && let Some(refusal) = self.refusal()
        {
            return self.reply(via, port, init.tag, refusal);
        }
        let (own, tie_tag) = match answer {
            None => (self.fresh_init(via), 0),
            Some(InitAnswer::Fresh { tie_tag }) => (self.fresh_init(via), tie_tag),
            Some(InitAnswer::AsSent { own, tie_tag }) => {
                self.jar.spend(now, own.tag, self.config.cookie_life);
                (own, tie_tag)
            }
            Some(InitAnswer::NewAddresses(addresses)) => {
                let cause = Cause::restart(addresses, self.room_for_value(via));
                return self.reply(via, port, init.tag, abort(cause));
            }
            Some(InitAnswer::Nothing) => return,
        };
        let cookie = Cookie {
            terms: Terms::between(&own, &init),
            created: now,
            tie_tag,
            peer_port: port,
            via,
            peer_addresses: init.addresses,
        };
        self.jar.renew_key(now, self.config.cookie_life, &mut self.random);
        let mut answer = Init { cookie: Some(self.jar.seal(&cookie)), ..own };
        answer.report(init.unrecognized, self.room_for_value(via));
        self.reply(via, port, init.tag, Control::InitAck(Box::new(answer)));
    }

    /// The largest value, in bytes, of a chunk that is the only one in a packet to the sender of `via`.
    fn room_for_value(&self, via: Via) -> usize {
        let network = usize::from(path::header(&self.config, via.remote));
        usize::from(self.config.mtu).saturating_sub(network + COMMON_HEADER + CHUNK_HEADER)
    }

    fn fresh_init(&mut self, via: Via) -> Init {
        let tag = self.new_tag();
        let initial_tsn = first_tsn(&self.config, &mut self.random);
        let local = &self.config.local;
        let addresses =
            if local.len() > 1 { own_addresses(via, local, self.config.mtu) } else { Vec::new() };
        own_init(&self.config, tag, initial_tsn, addresses)
    }

    /// The accepted addresses among those that the sender of an INIT lists.
    fn acceptable_addresses(&self, via: Via, listed: &[Address]) -> Vec<Address> {
        let mut addresses = if self.config.local.is_empty() {
            acceptable(listed, via.remote, &[via.local])
        } else {
            acceptable(listed, via.remote, &self.config.local)
        };
        addresses.truncate(most_addresses(self.config.mtu));
        addresses
    }

    /// Creates, confirms or restarts an association from a cookie, then processes the chunks after it.
    /// RFC 9260 §5.1.5, §5.2.4
    fn handle_cookie_echo(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Control::CookieEcho(sealed) = packet.control.remove(0) else { return };
        let life = self.config.cookie_life;
        let cookie = self.jar.open(now, life, &sealed).filter(|_| is_between_hosts(via));
        let Some(cookie) = cookie else { return };
        let port = packet.source_port;
        if port != cookie.peer_port || packet.tag != cookie.terms.local_tag {
            return;
        }
        let known = self.with_peer(port, [via.remote, cookie.via.remote], |_| true);
        let is_its_own = known
            .and_then(|index| self.slots.get(index))
            .is_some_and(|association| association.peer().has_tags_of(&cookie));
        if let Some(late) = cookie.staleness(now, life).filter(|_| !is_its_own) {
            let late = u32::try_from(late.as_nanos() / 1_000).unwrap_or(u32::MAX);
            return self.reply(
                via,
                port,
                cookie.terms.peer_tag,
                Control::Error(vec![Cause::StaleCookie(late)]),
            );
        }
        let Some(index) = known else { return self.admit(now, via, &cookie, packet) };
        let Some(association) = self.touch(index) else { return };
        match association.handle_cookie(now, via, &cookie) {
            CookieVerdict::Accepted => {
                association.handle_packet(now, via, packet);
                self.update_keys(index);
                self.jar.spend(now, cookie.terms.local_tag, life);
            }
            CookieVerdict::Discarded => {}
            CookieVerdict::ShuttingDown => {
                self.reply(via, port, cookie.terms.peer_tag, Control::ShutdownAck);
                let error = Control::Error(vec![Cause::CookieWhileShuttingDown]);
                self.reply(via, port, cookie.terms.peer_tag, error);
            }
        }
    }

    /// Opens the association of a cookie.
    ///
    /// Unlike RFC 9260 §5.1.5, a copy of the cookie that arrives after the end of that association is answered with
    /// ABORT. The peer may still regard the association as established, and data that was acknowledged there would be
    /// missing in a new association with the same tags.
    fn admit(&mut self, now: Time, via: Via, cookie: &Cookie, packet: &mut Packet) {
        let terms = &cookie.terms;
        if let Some(refusal) = self.refusal() {
            return self.reply(via, packet.source_port, terms.peer_tag, refusal);
        }
        if !self.jar.spend(now, terms.local_tag, self.config.cookie_life) {
            let abort = Control::Abort { reflected: false, causes: Vec::new() };
            return self.reply(via, packet.source_port, terms.peer_tag, abort);
        }
        let (config, random) = (Arc::clone(&self.config), self.next_entropy());
        let notice =
            if self.admission.has_backlog() { Notice::Incoming } else { Notice::Connected };
        let index = self.add(Association::accept(now, config, cookie, via, random, notice));
        self.admission.add(self.slots.id(index));
        if let Some(association) = self.touch(index) {
            association.handle_packet(now, via, packet);
        }
        self.update_keys(index);
    }

    /// Answers a SHUTDOWN ACK that arrives while this side opens the association; returns whether it was one.
    /// RFC 9260 §8.5.1 E
    fn refuse_early_shutdown_ack(&mut self, via: Via, packet: &Packet) -> bool {
        let (tag, port) = (packet.tag, packet.source_port);
        let opens = self.with_peer(port, [via.remote], Association::is_opening).is_some();
        if opens {
            self.reply(via, port, tag, Control::ShutdownComplete { reflected: true });
        }
        opens
    }

    /// Handles ABORT and SHUTDOWN COMPLETE with the T bit, which carry the tag of the receiver's packets.
    /// RFC 9260 §8.5.1 B, C
    fn handle_reflected(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let was_meant = |association: &Association| tag != 0 && association.peer().tag == tag;
        let Some(index) = self.with_peer(port, [via.remote], was_meant) else { return };
        if let Some(association) = self.touch(index) {
            association.handle_packet(now, via, packet);
        }
        self.update_keys(index);
    }

    /// Returns a HEARTBEAT with the right tag from an address that the association does not know to its source, one per
    /// packet. No path is opened for this address. RFC 9260 §8.3
    #[cold]
    pub(super) fn answer_unlisted(&mut self, index: usize, via: Via, packet: &Packet) {
        let heartbeat = packet.control.iter().find_map(|chunk| match chunk {
            Control::Heartbeat(heartbeat) => Some(heartbeat),
            _ => None,
        });
        if let Some(heartbeat) = heartbeat
            && let Some(association) = self.slots.get(index)
            && association.peer().is_known()
            && association.paths().of(via).is_none()
            && is_between_hosts(via)
        {
            let tag = association.peer().tag;
            self.reply(via, packet.source_port, tag, Control::HeartbeatAck(heartbeat.clone()));
        }
    }

    /// Answers a packet to a port without an endpoint, as the host of the port would. The caller must receive the
    /// packets of all ports, so that no other endpoint can have this port. RFC 9260 §8.4
    pub fn refuse_other_port(&mut self, via: Via, packet: &Packet) {
        if let [Control::Init(init)] = &packet.control[..] {
            let is_alone = !packet.has_sack && packet.data.is_empty();
            if is_alone && packet.tag == 0 && init.tag != 0 && is_between_hosts(via) {
                let abort = Control::Abort { reflected: false, causes: Vec::new() };
                self.reply_from(packet.destination_port, via, packet.source_port, init.tag, abort);
            }
            return;
        }
        self.answer_out_of_the_blue(via, packet);
    }

    /// Answers a packet whose tag belongs to no association, unless an association has its sender. RFC 9260 §8.4, §8.5
    pub(super) fn answer_stray(&mut self, via: Via, packet: &Packet) {
        if self.with_peer(packet.source_port, [via.remote], |_| true).is_none() {
            self.answer_out_of_the_blue(via, packet);
        }
    }

    /// Answers an out-of-the-blue packet. RFC 9260 §8.4
    fn answer_out_of_the_blue(&mut self, via: Via, packet: &Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let is_stale = |cause: &Cause| matches!(cause, Cause::StaleCookie(_));
        let must_be_silent = |chunk: &Control| match chunk {
            Control::Abort { .. } | Control::ShutdownComplete { .. } | Control::CookieAck => true,
            // It may refer to the last packet of an association of this endpoint that was shut down
            Control::PacketDrop(_) => true,
            Control::Error(causes) => causes.iter().any(is_stale),
            _ => false,
        };
        if tag == 0 || !is_between_hosts(via) || packet.control.iter().any(must_be_silent) {
            return;
        }
        let chunk = if packet.control.contains(&Control::ShutdownAck) {
            Control::ShutdownComplete { reflected: true }
        } else {
            Control::Abort { reflected: true, causes: Vec::new() }
        };
        self.reply_from(packet.destination_port, via, port, tag, chunk);
    }

    /// Queues an answer of the endpoint that belongs to no association.
    fn reply(&mut self, via: Via, port: u16, tag: u32, chunk: Control) {
        self.reply_from(self.config.port, via, port, tag, chunk);
    }

    /// Like `reply`, from another local port. If too many answers wait because a socket blocks, the oldest one is
    /// dropped.
    fn reply_from(&mut self, from: u16, via: Via, port: u16, tag: u32, chunk: Control) {
        if self.replies.len() == MOST_REPLIES {
            self.replies.pop_front();
        }
        self.replies.push_back(Reply { via, from, port, tag, chunk });
    }
}

/// Whether a packet goes from one host to one other. RFC 9260 §8.4 item 1
fn is_between_hosts(via: Via) -> bool {
    via.local.is_unicast() && via.remote.is_unicast()
}

/// The addresses in an INIT ACK to a peer: those that are valid in the peer's scope.
fn own_addresses(via: Via, local: &[Address], mtu: u16) -> Vec<Address> {
    let is_valid = |address: &&Address| {
        address.scope() == Scope::Global || address.scope() == via.remote.scope()
    };
    local.iter().filter(is_valid).take(most_addresses(mtu).min(MAX_PATHS)).copied().collect()
}

/// The number of addresses of each side that fit into an INIT ACK: the own ones as parameters, the peer's in the
/// cookie.
fn most_addresses(mtu: u16) -> usize {
    usize::from(mtu).saturating_sub(INIT_ACK_WITHOUT_ADDRESSES) / (PARAMETER + IN_COOKIE)
}

/// Whether a chunk must not be bundled: INIT, INIT ACK and SHUTDOWN COMPLETE. RFC 9260 §6.10
fn must_be_alone(chunk: &Control) -> bool {
    matches!(chunk, Control::Init(_) | Control::InitAck(_) | Control::ShutdownComplete { .. })
}

fn is_reflected(chunk: &Control) -> bool {
    matches!(
        chunk,
        Control::Abort { reflected: true, .. } | Control::ShutdownComplete { reflected: true }
    )
}

fn abort(cause: Cause) -> Control {
    Control::Abort { reflected: false, causes: vec![cause] }
}

/// The largest number of queued answers to out-of-the-blue packets; further ones replace the oldest.
const MOST_REPLIES: usize = 256;
/// Bytes of the IPv6, UDP and common headers, of INIT ACK, its extensions and its cookie.
const INIT_ACK_WITHOUT_ADDRESSES: usize = 40 + 8 + 12 + 20 + 8 + 112;
/// Bytes of an IPv6 address parameter.
const PARAMETER: usize = 20;
/// Bytes of an address in a cookie.
const IN_COOKIE: usize = 16;

#[cfg(test)]
mod tests {
    use manypath_core::{Packet as _, SansIo, Span, Streams};

    use super::*;
    use crate::config::Config;

    const NOW: Time = Time::ZERO;

    fn way() -> Via {
        Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) }
    }

    fn endpoint(port: u16, name: &str) -> Endpoint {
        Endpoint::new(Config { port, ..Config::default() }, &Streams::new(1, 0), name)
    }

    /// Passes a chunk of the other side to `endpoint`; returns the first chunk of its next packet.
    fn answer(endpoint: &mut Endpoint, tag: u32, chunk: Control) -> Option<Control> {
        let mut packet = Packet { source_port: 2, destination_port: 1, tag, ..Packet::default() };
        packet.control.push(chunk);
        endpoint.handle_packet(NOW, way(), &mut packet);
        packet.clear();
        endpoint.poll_transmit(NOW, &mut packet)?;
        packet.control.pop()
    }

    /// The tie tag in the cookie that answers an INIT with this tag.
    fn tie_tag(endpoint: &mut Endpoint, tag: u32) -> u64 {
        let streams = 10;
        let init = Init {
            tag,
            window: 10_000,
            outbound_streams: streams,
            inbound_streams: streams,
            ..Init::default()
        };
        let Some(Control::InitAck(ack)) = answer(endpoint, 0, Control::Init(Box::new(init))) else {
            panic!("INIT has an answer")
        };
        let sealed = ack.cookie.expect("INIT ACK has a cookie");
        endpoint
            .jar
            .open(NOW, endpoint.config.cookie_life, &sealed)
            .expect("it is an own one")
            .tie_tag
    }

    #[test]
    fn a_packet_to_a_port_without_endpoint_is_refused_from_that_port() {
        let mut endpoint = endpoint(1, "a");
        let mut refuse = |tag, chunk| {
            let mut packet =
                Packet { source_port: 2, destination_port: 9, tag, ..Packet::default() };
            packet.control.push(chunk);
            endpoint.refuse_other_port(way(), &packet);
            packet.clear();
            endpoint.poll_transmit(NOW, &mut packet)?;
            assert_eq!((packet.source_port, packet.destination_port), (9, 2));
            Some((packet.tag, packet.control.pop()?))
        };
        let init = |tag| Control::Init(Box::new(Init { tag, ..Init::default() }));
        let abort = |reflected| Control::Abort { reflected, causes: Vec::new() };
        assert_eq!(refuse(0, init(7)), Some((7, abort(false))));
        assert_eq!(refuse(0, init(0)), None);
        assert_eq!(refuse(5, init(7)), None);
        assert_eq!(refuse(5, Control::Shutdown(manypath_core::Tsn(0))), Some((5, abort(true))));
        assert_eq!(
            refuse(5, Control::ShutdownAck),
            Some((5, Control::ShutdownComplete { reflected: true }))
        );
        assert_eq!(refuse(5, abort(true)), None);
    }

    #[test]
    fn init_renews_the_key_of_cookies() {
        let mut endpoint = endpoint(1, "a");
        let mut cookie_at = |hours| {
            let init = Init {
                tag: 7,
                window: 10_000,
                outbound_streams: 1,
                inbound_streams: 1,
                ..Init::default()
            };
            let mut packet = Packet { source_port: 2, destination_port: 1, ..Packet::default() };
            packet.control.push(Control::Init(Box::new(init)));
            let now = NOW + Span::from_secs(3600) * hours;
            endpoint.handle_packet(now, way(), &mut packet);
            packet.clear();
            endpoint.poll_transmit(now, &mut packet);
            let Some(Control::InitAck(ack)) = packet.control.pop() else {
                panic!("INIT has an answer")
            };
            ack.cookie.expect("INIT ACK has a cookie")
        };
        let cookies = [0, 2, 4].map(&mut cookie_at);
        let (last, life) = (NOW + Span::from_secs(3600) * 4, endpoint.config.cookie_life);
        let is_open = cookies.map(|cookie| endpoint.jar.open(last, life, &cookie).is_some());
        assert_eq!(is_open, [false, true, true], "the current key and the one before it");
    }

    #[test]
    fn addresses_of_a_narrower_scope_are_not_sent_to_a_peer_outside_of_it() {
        let loopback = Address::v4(127, 0, 0, 1);
        let link = Address::from_bits(0xfe80 << 112 | 7);
        let link_v4 = Address::v4(169, 254, 0, 1);
        let local = [way().local, loopback, link, Address::v4(10, 1, 0, 1), link_v4];
        assert_eq!(own_addresses(way(), &local, 1500), [local[0], local[3]]);
        let inside = Via { local: loopback, remote: loopback };
        assert_eq!(own_addresses(inside, &local, 1500), [local[0], loopback, local[3]]);
    }

    #[test]
    fn the_cookie_for_a_first_init_names_no_association() {
        assert_eq!(tie_tag(&mut endpoint(1, "a"), 7), 0);
    }

    #[test]
    fn from_cookie_echoed_on_every_cookie_names_the_association() {
        let (mut a, mut z) = (endpoint(1, "a"), endpoint(2, "z"));
        a.connect(NOW, &[way()], 2);
        let mut packet = Packet::default();
        a.poll_transmit(NOW, &mut packet);
        let local_tag = match &packet.control[..] {
            [Control::Init(init)] => init.tag,
            other => panic!("{other:?}"),
        };
        z.handle_packet(NOW, way().reversed(), &mut packet);
        packet.clear();
        z.poll_transmit(NOW, &mut packet);
        assert_eq!(tie_tag(&mut a, 8), 0, "in COOKIE-WAIT");
        // INIT ACK makes A send its cookie and wait
        let ack = packet.control.pop().expect("INIT ACK");
        let echo = answer(&mut a, local_tag, ack);
        assert!(matches!(echo, Some(Control::CookieEcho(_))));
        let waiting = tie_tag(&mut a, 9);
        assert_ne!(waiting, 0);
        // The association has recorded it
        answer(&mut a, local_tag, Control::CookieAck);
        assert_eq!(tie_tag(&mut a, 10), waiting);
    }
}
