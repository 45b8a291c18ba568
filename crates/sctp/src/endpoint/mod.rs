//! An SCTP endpoint: its associations, and the assignment of packets to them.

mod admission;
mod inquiries;
mod local_addresses;
mod lookup;
mod path_mtu;
mod queues;
mod settings;
mod slots;
mod unassociated;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use manypath_core::{Address, Packet as _, SansIo, Span, Streams, Time, Via};

use crate::association::{Association, CookieJar, Notice};
use crate::config::Config;
use crate::entropy::{Entropy, Origin};
use crate::event::{AssociationId, Event, Message, Received, SendError, SendOptions};
use crate::packet::{Control, Packet};
use crate::path;
use admission::Admission;
use lookup::Lookup;
use queues::Queues;
use slots::{Slot, Slots};

/// All associations of one port, without a clock or a socket. [`Endpoint::listen`] lets peers open them.
#[derive(Debug)]
pub struct Endpoint {
    config: Arc<Config>,
    /// The associations; closed ones stay until they are forgotten.
    slots: Slots,
    /// The slot of the association of the last packet.
    latest: usize,
    /// The keys by which packets find their association.
    lookup: Box<Lookup>,
    /// Associations with pending work. Not maintained while there is only one slot, whose association is queried
    /// directly.
    queues: Queues,
    /// The association that may send next.
    turn: usize,
    /// Number of associations opened so far.
    opened: u64,
    /// Packets that belong to no association.
    replies: VecDeque<Reply>,
    /// Boxed, because only handshakes use it.
    jar: Box<CookieJar>,
    admission: Box<Admission>,
    random: Entropy,
    origin: Origin,
}

/// A packet with one chunk that belongs to no association.
#[derive(Debug)]
struct Reply {
    via: Via,
    /// The local port.
    from: u16,
    /// The peer's port.
    port: u16,
    tag: u32,
    chunk: Control,
}

impl Endpoint {
    /// An endpoint for simulations with predictable secrets: it draws tags, cookies and jitter from the random streams
    /// `<name>/sctp` and `<name>/sctp/<i>`.
    ///
    /// # Panics
    /// If `config.cc` names no algorithm.
    pub fn new(config: Config, streams: &Streams, name: &str) -> Self {
        let random = Entropy::Simulated(streams.stream(&format!("{name}/sctp")));
        let origin = Origin::Simulated { streams: *streams, name: name.to_owned() };
        Self::with_entropy(config, random, origin)
    }

    /// An endpoint for real networks: it derives all secrets from ChaCha20 with this key, which must come from the
    /// operating system and must be used only once.
    ///
    /// # Panics
    /// If `config.cc` names no algorithm.
    pub fn with_seed(config: Config, seed: [u8; 32]) -> Self {
        Self::with_entropy(config, Entropy::secret(seed), Origin::Secret)
    }

    fn with_entropy(config: Config, mut random: Entropy, origin: Origin) -> Self {
        check_congestion(&config);
        Self {
            admission: Box::new(Admission::new(&config)),
            config: Arc::new(config),
            slots: Slots::default(),
            latest: 0,
            lookup: Box::default(),
            queues: Queues::default(),
            turn: 0,
            opened: 0,
            replies: VecDeque::new(),
            jar: Box::new(CookieJar::new(&mut random)),
            random,
            origin,
        }
    }

    /// Replaces the settings of later associations; the port stays. The endpoint listens as before.
    ///
    /// # Panics
    /// If `config.cc` names no algorithm.
    pub fn set_config(&mut self, config: Config) {
        check_congestion(&config);
        let port = self.config.port;
        self.config = Arc::new(Config { port, ..config });
    }

    /// Begins to open an association with the endpoint at `peer_port`.
    ///
    /// Each of `paths` is a local address and one of the peer's; the first one is the primary path. At most 16 are
    /// used.
    ///
    /// # Panics
    /// If `paths` is empty.
    pub fn connect(&mut self, now: Time, paths: &[Via], peer_port: u16) -> AssociationId {
        self.connect_as(now, Arc::clone(&self.config), paths, peer_port)
    }

    /// Like [`connect`](Self::connect), with the endpoint's settings modified by `change`. Port and addresses are not
    /// changed.
    ///
    /// # Panics
    /// If `paths` is empty, or if the settings name an unknown congestion control.
    pub fn connect_with(
        &mut self,
        now: Time,
        paths: &[Via],
        peer_port: u16,
        change: impl FnOnce(&mut Config),
    ) -> AssociationId {
        let mut config = Config::clone(&self.config);
        change(&mut config);
        check_congestion(&config);
        config.port = self.config.port;
        config.local.clone_from(&self.config.local);
        self.connect_as(now, Arc::new(config), paths, peer_port)
    }

    fn connect_as(
        &mut self,
        now: Time,
        config: Arc<Config>,
        paths: &[Via],
        peer_port: u16,
    ) -> AssociationId {
        assert!(!paths.is_empty(), "an association needs a path");
        let (tag, random) = (self.new_tag(), self.next_entropy());
        let index = self.add(Association::connect(now, config, paths, peer_port, tag, random));
        self.slots.id(index)
    }

    /// Sends a message on an association.
    ///
    /// # Errors
    /// If there is no such association, if it is closing, if the buffer is full, or if the message is invalid.
    pub fn send(
        &mut self,
        now: Time,
        id: AssociationId,
        message: Message,
    ) -> Result<(), SendError> {
        let association = self.association_mut(id).ok_or(SendError::NotConnected)?;
        association.send(now, message, Time::NEVER, None)
    }

    /// Like [`send`](Self::send), with a lifetime or a path.
    ///
    /// # Errors
    /// As [`send`](Self::send), and if there is no such path.
    pub fn send_with(
        &mut self,
        now: Time,
        id: AssociationId,
        message: Message,
        options: SendOptions,
    ) -> Result<(), SendError> {
        let association = self.association_mut(id).ok_or(SendError::NotConnected)?;
        let expires = options.lifetime.map_or(Time::NEVER, |lifetime| now + lifetime);
        association.send(now, message, expires, options.path)?;
        if options.sack_immediately {
            association.request_sack();
        }
        Ok(())
    }

    /// Like [`send`](Self::send), with a lifetime.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_for(
        &mut self,
        now: Time,
        id: AssociationId,
        message: Message,
        lifetime: Span,
    ) -> Result<(), SendError> {
        let options = SendOptions { lifetime: Some(lifetime), ..SendOptions::default() };
        self.send_with(now, id, message, options)
    }

    /// Free bytes of the send buffer; 0 if there is no such association.
    pub fn send_space(&self, id: AssociationId) -> usize {
        self.association(id).map_or(0, Association::send_space)
    }

    /// Reads the next message, which frees receive buffer.
    pub fn receive(&mut self, now: Time, id: AssociationId) -> Option<Message> {
        self.receive_numbered(now, id).map(|received| received.message)
    }

    /// Like [`receive`](Self::receive), with the TSN and the stream sequence number of the message.
    pub fn receive_numbered(&mut self, now: Time, id: AssociationId) -> Option<Received> {
        self.association_mut(id)?.receive(now)
    }

    /// Shuts an association down once all sent data has arrived.
    pub fn shutdown(&mut self, now: Time, id: AssociationId) {
        if let Some(association) = self.association_mut(id) {
            association.shutdown(now);
        }
    }

    /// Aborts an association.
    pub fn abort(&mut self, now: Time, id: AssociationId) {
        self.abort_with(now, id, &Bytes::new());
    }

    /// Aborts an association and sends the reason to the peer; a reason that does not fit into a packet is truncated.
    pub fn abort_with(&mut self, _now: Time, id: AssociationId, reason: &Bytes) {
        if let Some(association) = self.association_mut(id) {
            association.abort(reason);
        }
    }

    /// Forgets a closed association with its counters and unread messages; ignored for an open one.
    pub fn forget(&mut self, id: AssociationId) {
        if let Some(index) = self.slots.index(id)
            && self.slots.get(index).is_some_and(Association::is_closed)
        {
            self.drop_association(index);
        }
    }

    /// Handles a datagram with a wrong checksum that arrived at `via.local` from `via.remote`. Its sender gets a
    /// report, if both sides agreed on drop reports and the ports and the tag belong to an association.
    /// draft-stewart-sctp-pktdrprep
    ///
    /// `packet` is the result of [`Packet::decode`]. `place` is the offset of the wrong byte in the datagram, if a
    /// simulation knows it: there is no report if the byte makes the first chunk unrecognisable.
    pub fn handle_damaged_bytes(
        &mut self,
        via: Via,
        packet: &Packet,
        datagram: &Bytes,
        place: Option<usize>,
    ) {
        if packet.destination_port != self.config.port {
            return;
        }
        let owner = self.owner(packet.tag, packet.source_port);
        if let Some(association) = owner.and_then(|index| self.touch(index)) {
            association.handle_damaged_bytes(via, datagram, place);
        }
    }

    #[inline]
    fn association(&self, id: AssociationId) -> Option<&Association> {
        self.slots.find(id)
    }

    /// The association for a command.
    #[inline]
    fn association_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        let is_alone = self.slots.len() == 1;
        let association = self.slots.find_mut(id)?;
        if !is_alone {
            self.queues.touch(id.slot());
        }
        Some(association)
    }

    /// The association in a slot, for an operation that may give it something to do.
    #[inline]
    fn touch(&mut self, index: usize) -> Option<&mut Association> {
        if self.slots.len() > 1 {
            self.queues.touch(index);
        }
        self.slots.get_mut(index)
    }

    fn add(&mut self, association: Association) -> usize {
        self.opened += 1;
        let index = self.slots.insert(association);
        if self.slots.len() == 2 {
            // With a single slot the queues were not maintained
            self.queues.touch(0);
        }
        self.touch(index);
        self.update_keys(index);
        index
    }

    #[cold]
    fn drop_association(&mut self, index: usize) {
        self.admission.remove(self.slots.id(index));
        if let Some(slot) = self.slots.slot_mut(index) {
            self.lookup.remove(index, &mut slot.keys);
            self.queues.clear(index);
            self.slots.remove(index);
        }
    }

    /// Updates the keys of an association after control chunks, which may have changed its addresses, its tag or its
    /// state.
    fn update_keys(&mut self, index: usize) {
        if let Some(Slot { association: Some(association), keys, .. }) = self.slots.slot_mut(index)
        {
            self.lookup.update(index, keys, association);
        }
    }

    /// The association to which a packet with this tag from this port of the peer belongs. RFC 9260 §8.5
    ///
    /// Most packets belong to the association of the packet before.
    #[inline]
    fn owner(&self, tag: u32, port: u16) -> Option<usize> {
        let owns = self.slots.get(self.latest).is_some_and(|it| it.owns(tag, port));
        if owns { Some(self.latest) } else { self.owner_by_tag(tag, port) }
    }

    #[inline(never)]
    fn owner_by_tag(&self, tag: u32, port: u16) -> Option<usize> {
        let owns = |index: &usize| self.slots.get(*index).is_some_and(|it| it.owns(tag, port));
        self.lookup.tagged(tag).find(owns)
    }

    /// The first association with the peer at this port and one of these addresses that passes the test.
    fn with_peer(
        &self,
        port: u16,
        addresses: impl IntoIterator<Item = Address>,
        passes: impl Fn(&Association) -> bool,
    ) -> Option<usize> {
        let found = addresses.into_iter().filter_map(|address| {
            self.lookup.with_peer(port, address).find(|index| {
                let association = self.slots.get(*index);
                association.is_some_and(|it| it.is_with(port, address) && passes(it))
            })
        });
        found.min()
    }

    /// Handles a packet with control chunks, or one that belongs to another association than the packet before.
    #[inline(never)]
    fn handle_unusual(&mut self, now: Time, via: Via, packet: &mut Packet) {
        if packet.destination_port != self.config.port {
            return;
        }
        let has_control = !packet.control.is_empty();
        if has_control && self.handle_special(now, via, packet) {
            return;
        }
        let Some(index) = self.owner(packet.tag, packet.source_port) else {
            return self.answer_stray(via, packet);
        };
        self.latest = index;
        if has_control {
            self.answer_unlisted(index, via, packet);
        }
        if let Some(association) = self.touch(index) {
            association.handle_packet(now, via, packet);
        }
        if has_control {
            self.update_keys(index);
        }
    }

    /// Updates the timer of an association that has nothing to send.
    fn settle(&mut self, index: usize) {
        self.queues.ready.remove(index);
        let Some(association) = self.slots.get(index) else { return };
        if association.may_time_out_before(self.queues.due.at(index)) {
            let at = association.poll_timeout().min(self.queues.due.at(index));
            self.queues.due.set(index, at);
        }
        if association.is_closed() {
            self.queues.due.set(index, Time::NEVER);
            self.update_keys(index);
            self.release_unaccepted(index);
        }
    }

    /// The next event, from the lowest slot that has one.
    #[inline(never)]
    fn event_in_turn(&mut self) -> Option<Event> {
        while let Some(index) = self.queues.talking.first_from(0) {
            match self.slots.get_mut(index).and_then(Association::poll_notice) {
                Some(notice) => return Some(event(self.slots.id(index), notice)),
                None => {
                    self.queues.talking.remove(index);
                    self.release_unaccepted(index);
                }
            }
        }
        None
    }

    /// The next packet; associations send in turn.
    #[inline(never)]
    fn transmit_in_turn(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        while let Some(index) = self.queues.ready.first_around(self.turn) {
            let association = self.slots.get_mut(index);
            let sent = association.and_then(|association| association.poll_transmit(now, packet));
            if sent.is_some() {
                self.turn = if index + 1 < self.slots.len() { index + 1 } else { 0 };
            }
            if sent.is_none() || !self.slots.get(index).is_some_and(Association::may_transmit) {
                self.settle(index);
            }
            if sent.is_some() {
                return sent;
            }
        }
        None
    }

    #[cold]
    fn send_reply(&mut self, packet: &mut Packet) -> Option<Via> {
        let Reply { via, from, port, tag, chunk } = self.replies.pop_front()?;
        packet.source_port = from;
        packet.destination_port = port;
        packet.tag = tag;
        packet.network_header = path::header(&self.config, via.remote);
        packet.control.push(chunk);
        // A chunk with content of the peer, such as a HEARTBEAT ACK, may be larger than any packet of this side
        packet.may_fragment = packet.size() > usize::from(self.config.mtu);
        Some(via)
    }

    /// The random number generator of the next association.
    fn next_entropy(&mut self) -> Entropy {
        self.origin.child(&mut self.random, self.opened)
    }

    /// A verification tag that is neither 0 nor in use, nor that of a recently ended association. RFC 9260 §5.3.1
    fn new_tag(&mut self) -> u32 {
        loop {
            let tag = self.random.next_u64() as u32;
            if tag != 0 && self.lookup.tagged(tag).next().is_none() && !self.jar.is_spent(tag) {
                return tag;
            }
        }
    }
}

impl SansIo for Endpoint {
    type Packet = Packet;
    type Event = Event;

    /// Most packets have no control chunks and belong to the association of the packet before.
    #[inline]
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let is_usual = packet.control.is_empty() && packet.destination_port == self.config.port;
        if is_usual
            && let Some(association) = self.slots.get_mut(self.latest)
            && association.owns(packet.tag, packet.source_port)
        {
            association.handle_packet(now, via, packet);
            if self.slots.len() > 1 {
                self.queues.touch(self.latest);
            }
        } else {
            self.handle_unusual(now, via, packet);
        }
    }

    fn handle_damaged(&mut self, _: Time, via: Via, packet: &mut Packet, damaged_byte: u32) {
        if packet.destination_port != self.config.port {
            return;
        }
        let owner = self.owner(packet.tag, packet.source_port);
        if let Some(association) = owner.and_then(|index| self.touch(index)) {
            association.handle_damaged(via, packet, damaged_byte);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(slot) = self.slots.only_mut() {
            if let Some(association) = &mut slot.association {
                association.handle_timeout(now);
            }
            return;
        }
        while let Some(index) = self.queues.due.expired(now) {
            let Some(association) = self.touch(index) else { return };
            association.handle_timeout(now);
            let at = association.poll_timeout();
            self.queues.due.set(index, at);
        }
    }

    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        if !self.replies.is_empty() {
            return self.send_reply(packet);
        }
        match self.slots.only_mut() {
            Some(slot) => slot.association.as_mut()?.poll_transmit(now, packet),
            None => self.transmit_in_turn(now, packet),
        }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        let has_ready = || match self.slots.only() {
            Some(slot) => slot.association.as_ref().is_some_and(|it| it.may_transmit()),
            None => !self.queues.ready.is_empty(),
        };
        !self.replies.is_empty() || has_ready()
    }

    fn poll_timeout(&self) -> Time {
        match self.slots.only() {
            Some(Slot { association: Some(association), .. }) => association.poll_timeout(),
            Some(_) => Time::NEVER,
            None => self.queues.due.next(),
        }
    }

    #[inline]
    fn may_time_out_before(&self, at: Time) -> bool {
        match self.slots.only() {
            Some(slot) => slot.association.as_ref().is_some_and(|it| it.may_time_out_before(at)),
            None => self.queues.due.next() < at,
        }
    }

    #[inline]
    fn poll_event(&mut self) -> Option<Event> {
        match self.slots.only_mut() {
            Some(slot) => {
                let notice = slot.association.as_mut()?.poll_notice()?;
                Some(event(slot.id(0), notice))
            }
            None if self.queues.talking.is_empty() => None,
            None => self.event_in_turn(),
        }
    }
}

/// Panics if the congestion control is unknown.
fn check_congestion(config: &Config) {
    if let Err(unknown) = manypath_cc::algorithm(&config.cc) {
        panic!("{unknown}");
    }
}

/// The most frequent events, which concern data.
#[inline]
fn event(association: AssociationId, notice: Notice) -> Event {
    match notice {
        Notice::Readable => Event::Readable(association),
        Notice::Writable => Event::Writable(association),
        notice => rare_event(association, notice),
    }
}

#[cold]
fn rare_event(association: AssociationId, notice: Notice) -> Event {
    match notice {
        Notice::Connected => Event::Connected(association),
        Notice::Incoming => Event::Incoming(association),
        Notice::Readable => Event::Readable(association),
        Notice::Writable => Event::Writable(association),
        Notice::PathPotentiallyFailed(path) => Event::PathPotentiallyFailed { association, path },
        Notice::PathDown(path) => Event::PathDown { association, path },
        Notice::PathUp(path) => Event::PathUp { association, path },
        Notice::Restarted => Event::Restarted(association),
        Notice::PeerShutdown => Event::PeerShutdown(association),
        Notice::SendFailed { message, sent } => Event::SendFailed { association, message, sent },
        Notice::SenderDry => Event::SenderDry(association),
        Notice::RemoteError(cause) => Event::RemoteError { association, cause },
        Notice::PartialDeliveryAborted { message, stream, ssn } => {
            Event::PartialDeliveryAborted { association, message, stream, ssn }
        }
        Notice::Closed(reason) => Event::Closed { association, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_an_association_that_has_ended_is_not_given_to_another() {
        let next_tag = |spent: Option<u32>| {
            let mut endpoint = Endpoint::new(Config::default(), &Streams::new(1, 0), "endpoint");
            if let Some(tag) = spent {
                assert!(endpoint.jar.spend(Time::ZERO, tag, Span::from_secs(60)));
            }
            endpoint.new_tag()
        };
        let first = next_tag(None);
        assert_eq!(first, next_tag(Some(first + 1)));
        assert_ne!(first, next_tag(Some(first)));
    }
}
