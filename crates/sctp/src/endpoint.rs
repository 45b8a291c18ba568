//! One SCTP endpoint: its associations, and which of them a packet belongs to.

mod strangers;

use std::collections::VecDeque;
use std::sync::Arc;

use manypath_core::{PathId, Random, SansIo, Streams, Time, Via};

use crate::association::{Association, CookieJar, Notice};
use crate::config::Config;
use crate::event::{AssociationId, Event, Message, SendError};
use crate::packet::{Control, IPV4_HEADER, Packet};
use crate::stats::{Blocked, PathStats, ReorderStats, Stats, StreamStats};

/// All associations of one port, without a clock or a socket. Every endpoint answers INIT.
#[derive(Debug)]
pub struct Endpoint {
    config: Arc<Config>,
    /// Indexed by [`AssociationId`]; closed ones stay until they are forgotten.
    associations: Vec<Option<Box<Association>>>,
    /// The association that may send next.
    turn: usize,
    /// Packets that no association sends.
    replies: VecDeque<Reply>,
    jar: CookieJar,
    random: Random,
    streams: Streams,
    name: String,
}

/// A packet of one chunk, outside of any association.
#[derive(Debug)]
struct Reply {
    via: Via,
    port: u16,
    tag: u32,
    chunk: Control,
}

impl Endpoint {
    /// An endpoint that draws tags, cookies and jitter from the random streams `<name>/sctp` and `<name>/sctp/<i>`.
    ///
    /// # Panics
    /// If `config.congestion` names no algorithm.
    pub fn new(config: Config, streams: &Streams, name: &str) -> Self {
        if let Err(unknown) = manypath_cc::algorithm(&config.congestion) {
            panic!("{unknown}");
        }
        let mut random = streams.stream(&format!("{name}/sctp"));
        Self {
            config: Arc::new(config),
            associations: Vec::new(),
            turn: 0,
            replies: VecDeque::new(),
            jar: CookieJar::new(&mut random),
            random,
            streams: *streams,
            name: name.to_owned(),
        }
    }

    /// Begins to open an association with the endpoint at `peer_port`.
    ///
    /// Each of `paths` is an own address and one of the peer's; the first one is the primary path. At most 16 count.
    ///
    /// # Panics
    /// If `paths` is empty.
    pub fn connect(&mut self, now: Time, paths: &[Via], peer_port: u16) -> AssociationId {
        assert!(!paths.is_empty(), "an association needs a path");
        let (tag, random) = (self.fresh_tag(), self.next_stream());
        let config = Arc::clone(&self.config);
        self.add(Association::connect(now, config, paths, peer_port, tag, random))
    }

    /// Hands a message to an association.
    ///
    /// # Errors
    /// If there is no such association, if it is closing, or if the message cannot be taken now or ever.
    pub fn send(
        &mut self,
        now: Time,
        id: AssociationId,
        message: Message,
    ) -> Result<(), SendError> {
        self.association_mut(id).ok_or(SendError::NotConnected)?.send(now, message)
    }

    /// Free bytes of the send buffer; 0 if there is no such association.
    pub fn send_space(&self, id: AssociationId) -> usize {
        self.association(id).map_or(0, Association::send_space)
    }

    /// Reads the next message; this frees receive buffer.
    pub fn receive(&mut self, now: Time, id: AssociationId) -> Option<Message> {
        self.association_mut(id)?.receive(now)
    }

    /// Closes an association once everything that was handed over has arrived.
    pub fn shutdown(&mut self, now: Time, id: AssociationId) {
        if let Some(association) = self.association_mut(id) {
            association.shutdown(now);
        }
    }

    /// Ends an association at once.
    pub fn abort(&mut self, _now: Time, id: AssociationId) {
        if let Some(association) = self.association_mut(id) {
            association.abort();
        }
    }

    /// Drops a closed association with its counters and whatever was not read; an open one stays.
    pub fn forget(&mut self, id: AssociationId) {
        if let Some(slot) = self.associations.get_mut(id.0 as usize) {
            slot.take_if(|association| association.is_closed());
        }
    }

    /// What an association has done so far.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn stats(&self, id: AssociationId) -> &Stats {
        self.known(id).stats()
    }

    /// What a path of an association has carried, and its state now.
    ///
    /// # Panics
    /// If there is no such association or path.
    pub fn path_stats(&self, id: AssociationId, path: PathId) -> PathStats {
        self.known(id).path_stats(path)
    }

    /// How many standard TCPs a path is worth, where the congestion control has such weights.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn weight(&self, id: AssociationId, path: PathId) -> Option<f64> {
        self.known(id).weight(path)
    }

    /// How long a path of an association could not send new data, and why, from when it stood up to `now`.
    ///
    /// # Panics
    /// If there is no such association or path.
    pub fn blocked(&self, now: Time, id: AssociationId, path: PathId) -> Blocked {
        self.known(id).blocked(now, path)
    }

    /// How many streams the peer of an association has sent on, those below the highest one included.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn inbound_streams(&self, id: AssociationId) -> usize {
        self.known(id).inbound_streams()
    }

    /// Head-of-line blocking on an inbound stream, from when the association stood up to `now`; zero throughout for a
    /// stream that was not used.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn stream_stats(&self, now: Time, id: AssociationId, stream: u16) -> StreamStats {
        self.known(id).stream_stats(now, stream)
    }

    /// What of an association's receive buffer held bytes that could not be read yet, from when it stood up to `now`.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn reorder_stats(&self, now: Time, id: AssociationId) -> ReorderStats {
        self.known(id).reorder_stats(now)
    }

    /// How many paths an association has.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn path_count(&self, id: AssociationId) -> usize {
        self.known(id).path_count()
    }

    fn known(&self, id: AssociationId) -> &Association {
        self.association(id).unwrap_or_else(|| panic!("there is no association {}", id.0))
    }

    fn association(&self, id: AssociationId) -> Option<&Association> {
        self.associations.get(id.0 as usize)?.as_deref()
    }

    fn association_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        self.associations.get_mut(id.0 as usize)?.as_deref_mut()
    }

    fn add(&mut self, association: Association) -> AssociationId {
        let id = AssociationId(self.associations.len() as u32);
        self.associations.push(Some(Box::new(association)));
        id
    }

    fn find(&mut self, matches: impl Fn(&Association) -> bool) -> Option<&mut Association> {
        self.associations
            .iter_mut()
            .flatten()
            .map(Box::as_mut)
            .find(|association| matches(association))
    }

    /// Whose turn it is after an association.
    fn index_after(&self, index: usize) -> usize {
        if index + 1 < self.associations.len() { index + 1 } else { 0 }
    }

    #[cold]
    fn send_reply(&mut self, packet: &mut Packet) -> Option<Via> {
        let Reply { via, port, tag, chunk } = self.replies.pop_front()?;
        packet.source_port = self.config.port;
        packet.destination_port = port;
        packet.tag = tag;
        packet.network_header = IPV4_HEADER as u16;
        packet.control.push(chunk);
        Some(via)
    }

    /// The random stream of the next association.
    fn next_stream(&self) -> Random {
        self.streams.stream(&format!("{}/sctp/{}", self.name, self.associations.len()))
    }

    /// A verification tag that is not 0 and not in use. RFC 9260 §5.3.1
    fn fresh_tag(&mut self) -> u32 {
        loop {
            let tag = self.random.next_u64() as u32;
            if tag != 0 && self.find(|association| association.local_tag() == tag).is_none() {
                return tag;
            }
        }
    }
}

impl SansIo for Endpoint {
    type Packet = Packet;
    type Event = Event;

    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        if packet.destination_port != self.config.port {
            return;
        }
        if !packet.control.is_empty() && self.handle_special(now, via, packet) {
            return;
        }
        let (tag, port) = (packet.tag, packet.source_port);
        match self.find(|association| association.owns(tag, port)) {
            Some(association) => association.handle_packet(now, via, packet),
            None => self.answer_stray(via, packet),
        }
    }

    fn handle_damaged(&mut self, _: Time, via: Via, packet: &mut Packet, damaged_byte: u32) {
        if packet.destination_port != self.config.port {
            return;
        }
        let (tag, port) = (packet.tag, packet.source_port);
        if let Some(association) = self.find(|association| association.owns(tag, port)) {
            association.handle_damaged(via, packet, damaged_byte);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        for association in self.associations.iter_mut().flatten() {
            association.handle_timeout(now);
        }
    }

    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        if !self.replies.is_empty() {
            return self.send_reply(packet);
        }
        let mut index = self.turn;
        loop {
            if let Some(association) = self.associations.get_mut(index)?
                && let Some(via) = association.poll_transmit(now, packet)
            {
                self.turn = self.index_after(index);
                return Some(via);
            }
            index = self.index_after(index);
            if index == self.turn {
                return None;
            }
        }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        !self.replies.is_empty() || self.associations.iter().flatten().any(|it| it.may_transmit())
    }

    fn poll_timeout(&self) -> Time {
        let timeouts =
            self.associations.iter().flatten().map(|association| association.poll_timeout());
        timeouts.min().unwrap_or(Time::NEVER)
    }

    #[inline]
    fn may_time_out_before(&self, at: Time) -> bool {
        self.associations.iter().flatten().any(|it| it.may_time_out_before(at))
    }

    fn poll_event(&mut self) -> Option<Event> {
        for (index, slot) in self.associations.iter_mut().enumerate() {
            if let Some(notice) = slot.as_mut().and_then(|association| association.poll_notice()) {
                return Some(event(AssociationId(index as u32), notice));
            }
        }
        None
    }
}

fn event(association: AssociationId, notice: Notice) -> Event {
    match notice {
        Notice::Connected => Event::Connected(association),
        Notice::Readable => Event::Readable(association),
        Notice::Writable => Event::Writable(association),
        Notice::PathPotentiallyFailed(path) => Event::PathPotentiallyFailed { association, path },
        Notice::PathDown(path) => Event::PathDown { association, path },
        Notice::PathUp(path) => Event::PathUp { association, path },
        Notice::Restarted => Event::Restarted(association),
        Notice::Closed(reason) => Event::Closed { association, reason },
    }
}
