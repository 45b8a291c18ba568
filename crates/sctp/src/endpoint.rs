//! One SCTP endpoint: which association a packet belongs to, and what answers a packet that belongs to none.

use std::collections::VecDeque;
use std::sync::Arc;

use manypath_core::{PathId, Random, SansIo, Streams, Time, Tsn, Via};

use crate::association::{
    Association, Cookie, CookieJar, CookieVerdict, InitAnswer, Notice, Terms, check_init, own_init,
};
use crate::config::Config;
use crate::event::{AssociationId, Event, Message, SendError};
use crate::packet::{Cause, Control, IPV4_HEADER, Init, Packet};
use crate::stats::{PathStats, Stats};

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

/// Packets that open an association, and packets that belong to none.
impl Endpoint {
    /// Takes a packet with control chunks if it needs more than the association that its tag names; whether it was
    /// taken.
    fn handle_special(&mut self, now: Time, via: Via, packet: &mut Packet) -> bool {
        let is_alone = packet.control.len() == 1 && !packet.has_sack && packet.data.is_empty();
        match packet.control.first() {
            Some(Control::Init(_) | Control::InitAck(_) | Control::ShutdownComplete { .. })
                if !is_alone =>
            {
                true
            }
            Some(Control::Init(_)) => {
                self.handle_init(now, via, packet);
                true
            }
            Some(Control::CookieEcho(_)) => {
                self.handle_cookie_echo(now, via, packet);
                true
            }
            Some(Control::ShutdownAck) => self.refuse_early_shutdown_ack(via, packet),
            _ => {
                packet.control.iter().any(is_reflected) && {
                    self.handle_reflected(now, via, packet);
                    true
                }
            }
        }
    }

    /// Answers INIT without keeping anything. RFC 9260 §5.1 B, §5.2.1, §5.2.2
    fn handle_init(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Some(Control::Init(init)) = packet.control.pop() else { return };
        if packet.tag != 0 || init.tag == 0 {
            return;
        }
        let port = packet.source_port;
        let refuse = |cause| Reply { via, port, tag: init.tag, chunk: abort(cause) };
        if let Err(cause) = check_init(&init) {
            return self.replies.push_back(refuse(cause));
        }
        let is_sender = |association: &Association| {
            [via.remote]
                .iter()
                .chain(&init.addresses)
                .any(|&address| association.is_with(port, address))
        };
        let answer = self.find(is_sender).map(|association| association.answer_init(via, &init));
        let (own, tie_tag) = match answer {
            None => (self.fresh_init(), 0),
            Some(InitAnswer::Fresh { tie_tag }) => (self.fresh_init(), tie_tag),
            Some(InitAnswer::AsSent { own, tie_tag }) => (own, tie_tag),
            Some(InitAnswer::NewAddress(address)) => {
                return self.replies.push_back(refuse(Cause::RestartWithNewAddresses(address)));
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
        let answer = Init { cookie: Some(self.jar.seal(&cookie)), ..own };
        self.replies.push_back(Reply {
            via,
            port,
            tag: init.tag,
            chunk: Control::InitAck(Box::new(answer)),
        });
    }

    fn fresh_init(&mut self) -> Init {
        let (tag, initial_tsn) = (self.fresh_tag(), Tsn(self.random.next_u64() as u32));
        let addresses =
            if self.config.local.len() > 1 { self.config.local.clone() } else { Vec::new() };
        own_init(&self.config, tag, initial_tsn, addresses)
    }

    /// Makes, confirms or restarts an association from a cookie, then takes what came behind it. RFC 9260 §5.1.5, §5.2.4
    fn handle_cookie_echo(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Control::CookieEcho(sealed) = packet.control.remove(0) else { return };
        let Some(cookie) = self.jar.open(&sealed) else { return };
        let port = packet.source_port;
        if port != cookie.peer_port || packet.tag != cookie.terms.local_tag {
            return;
        }
        let life = self.config.cookie_life;
        let mut known = self.find(|association| {
            association.is_with(port, via.remote) || association.is_with(port, cookie.via.remote)
        });
        let is_its_own = known.as_ref().is_some_and(|association| association.has_tags_of(&cookie));
        if let Some(late) = cookie.staleness(now, life).filter(|_| !is_its_own) {
            let late = u32::try_from(late.as_nanos() / 1_000).unwrap_or(u32::MAX);
            let chunk = Control::Error(Cause::StaleCookie(late));
            return self.replies.push_back(Reply { via, port, tag: cookie.terms.peer_tag, chunk });
        }
        let verdict =
            known.as_mut().map(|association| association.handle_cookie(now, via, &cookie));
        match (verdict, known) {
            (Some(CookieVerdict::Accepted), Some(association)) => {
                association.handle_packet(now, via, packet);
            }
            (Some(CookieVerdict::ShuttingDown), _) => {
                for chunk in [Control::ShutdownAck, Control::Error(Cause::CookieWhileShuttingDown)]
                {
                    self.replies.push_back(Reply { via, port, tag: cookie.terms.peer_tag, chunk });
                }
            }
            (Some(CookieVerdict::Discarded), _) => {}
            (None, _) | (_, None) => self.accept(now, via, &cookie, packet),
        }
    }

    fn accept(&mut self, now: Time, via: Via, cookie: &Cookie, packet: &mut Packet) {
        let (config, random) = (Arc::clone(&self.config), self.next_stream());
        let id = self.add(Association::accept(now, config, cookie, via, random));
        if let Some(association) = self.association_mut(id) {
            association.handle_packet(now, via, packet);
        }
    }

    /// SHUTDOWN ACK of an association that this side has forgotten and opens anew; whether it was one. RFC 9260 §8.5.1 E
    fn refuse_early_shutdown_ack(&mut self, via: Via, packet: &Packet) -> bool {
        let (tag, port) = (packet.tag, packet.source_port);
        let opens = self
            .find(|association| association.is_with(port, via.remote) && association.is_opening())
            .is_some();
        if opens {
            let chunk = Control::ShutdownComplete { reflected: true };
            self.replies.push_back(Reply { via, port, tag, chunk });
        }
        opens
    }

    /// ABORT and SHUTDOWN COMPLETE with the T bit carry the tag of their receiver's packets. RFC 9260 §8.5.1 B, C
    fn handle_reflected(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let was_meant = |association: &Association| {
            tag != 0 && association.peer_tag() == tag && association.is_with(port, via.remote)
        };
        if let Some(association) = self.find(was_meant) {
            association.handle_packet(now, via, packet);
        }
    }

    /// Answers a packet whose tag no association has. RFC 9260 §8.4, §8.5
    fn answer_stray(&mut self, via: Via, packet: &Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let is_known = self.find(|association| association.is_with(port, via.remote)).is_some();
        let must_be_silent = |chunk: &Control| {
            matches!(
                chunk,
                Control::Abort { .. }
                    | Control::ShutdownComplete { .. }
                    | Control::CookieAck
                    | Control::Error(Cause::StaleCookie(_))
            )
        };
        if is_known || tag == 0 || packet.control.iter().any(must_be_silent) {
            return;
        }
        let chunk = if matches!(packet.control.first(), Some(Control::ShutdownAck)) {
            Control::ShutdownComplete { reflected: true }
        } else {
            Control::Abort { reflected: true, cause: None }
        };
        self.replies.push_back(Reply { via, port, tag, chunk });
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

    fn handle_timeout(&mut self, now: Time) {
        for association in self.associations.iter_mut().flatten() {
            association.handle_timeout(now);
        }
    }

    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        if let Some(Reply { via, port, tag, chunk }) = self.replies.pop_front() {
            packet.source_port = self.config.port;
            packet.destination_port = port;
            packet.tag = tag;
            packet.network_header = IPV4_HEADER as u16;
            packet.control.push(chunk);
            return Some(via);
        }
        let count = self.associations.len();
        for step in 0..count {
            let mut index = self.turn + step;
            if index >= count {
                index -= count;
            }
            let Some(association) = &mut self.associations[index] else { continue };
            if let Some(via) = association.poll_transmit(now, packet) {
                self.turn = if index + 1 < count { index + 1 } else { 0 };
                return Some(via);
            }
        }
        None
    }

    fn poll_timeout(&self) -> Time {
        let timeouts =
            self.associations.iter().flatten().map(|association| association.poll_timeout());
        timeouts.min().unwrap_or(Time::NEVER)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.associations.iter_mut().enumerate().find_map(|(index, slot)| {
            let notice = slot.as_mut()?.poll_notice()?;
            Some(event(AssociationId(index as u32), notice))
        })
    }
}

fn event(association: AssociationId, notice: Notice) -> Event {
    match notice {
        Notice::Connected => Event::Connected(association),
        Notice::Readable => Event::Readable(association),
        Notice::Writable => Event::Writable(association),
        Notice::PathDown(path) => Event::PathDown { association, path },
        Notice::PathUp(path) => Event::PathUp { association, path },
        Notice::Restarted => Event::Restarted(association),
        Notice::Closed(reason) => Event::Closed { association, reason },
    }
}

fn is_reflected(chunk: &Control) -> bool {
    matches!(
        chunk,
        Control::Abort { reflected: true, .. } | Control::ShutdownComplete { reflected: true }
    )
}

fn abort(cause: Cause) -> Control {
    Control::Abort { reflected: false, cause: Some(cause) }
}
