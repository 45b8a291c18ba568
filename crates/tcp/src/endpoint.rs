//! One TCP endpoint: its connections, and the assignment of segments to them.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use manypath_core::{BlockedTime, PathId, PathWindow, Random, SansIo, Streams, Time, Via};

use crate::config::Config;
use crate::connection::{Connection, Notice};
use crate::event::{ConnectionId, Event, WriteError};
use crate::mptcp::{Bundle, MultipathOption};
use crate::segment::{Flags, Segment};
use crate::stats::{PathStats, Stats};
use crate::subflow::Opening;

/// All connections of one port, without a clock or a socket. Every endpoint accepts connections.
#[derive(Debug)]
pub struct Endpoint {
    config: Arc<Config>,
    /// Indexed by [`ConnectionId`]; closed ones stay until they are forgotten.
    connections: Vec<Option<Box<Connection>>>,
    /// The earliest timer of each connection, as of its last poll.
    due: Vec<Time>,
    /// The earliest instant in `due`.
    next_due: Time,
    /// The connection and the subflow of the last received segment.
    latest: (usize, usize),
    /// Connections that may have something to send.
    ready: Vec<u32>,
    /// Index in `ready` of the connection whose turn it is.
    turn: usize,
    /// Connections that may have events.
    talking: Vec<u32>,
    /// Segments that do not belong to a connection.
    replies: VecDeque<Reply>,
    random: Random,
}

/// A reset for a segment that belongs to no connection. RFC 9293 §3.10.7.1
#[derive(Debug)]
struct Reply {
    via: Via,
    peer_port: u16,
    local_port: u16,
    seq: u32,
    /// The acknowledgement number, if the received segment had no acknowledgement itself.
    ack: Option<u32>,
}

impl Endpoint {
    /// An endpoint that draws initial sequence numbers from the random stream `<name>/tcp`.
    ///
    /// # Panics
    /// If there is no algorithm with the name `config.cc`.
    pub fn new(config: Config, streams: &Streams, name: &str) -> Self {
        if let Err(unknown) = manypath_cc::algorithm(&config.cc) {
            panic!("{unknown}");
        }
        Self {
            config: Arc::new(config),
            connections: Vec::new(),
            due: Vec::new(),
            next_due: Time::NEVER,
            latest: (0, 0),
            ready: Vec::new(),
            turn: 0,
            talking: Vec::new(),
            replies: VecDeque::new(),
            random: streams.stream(&format!("{name}/tcp")),
        }
    }

    /// Begins to open a connection with the endpoint at `peer_port`.
    ///
    /// Each of `paths` consists of an own address and a peer's address; the paths differ. Plain TCP uses the first
    /// path. Multipath TCP begins with it, and the others join when the connection is established.
    ///
    /// # Panics
    /// If `paths` is empty.
    pub fn connect(&mut self, _now: Time, paths: &[Via], peer_port: u16) -> ConnectionId {
        assert!(!paths.is_empty(), "a connection needs a path");
        let first = self.prepare(paths[0], peer_port);
        let bundle = self.config.multipath.map(|rules| {
            let others = paths[1..].iter().map(|via| self.prepare(*via, peer_port)).collect();
            Box::new(Bundle::new(rules, self.random.next_u64(), others, &self.config))
        });
        self.add(Connection::connect(first, bundle, Arc::clone(&self.config)))
    }

    /// The own port and the initial sequence number of a new subflow.
    fn prepare(&mut self, via: Via, peer_port: u16) -> Opening {
        let ports = (self.free_port(via, peer_port), peer_port);
        Opening { via, ports, iss: self.initial_sequence() }
    }

    /// Writes bytes to a connection: all of them or none.
    ///
    /// # Errors
    /// If there is no such connection, if it is closing, or if the send buffer has not enough room or is too small.
    #[inline]
    pub fn write(&mut self, _now: Time, id: ConnectionId, bytes: Bytes) -> Result<(), WriteError> {
        let connection = self.connection_mut(id).ok_or(WriteError::NotConnected)?;
        if connection.write(bytes)? {
            self.command(id);
        }
        Ok(())
    }

    /// Free bytes of the send buffer; 0 if there is no such connection.
    #[inline]
    pub fn write_space(&self, id: ConnectionId) -> usize {
        self.connection(id).map_or(0, Connection::write_space)
    }

    /// Reads the next bytes of the stream. This frees receive buffer.
    #[inline]
    pub fn read(&mut self, _now: Time, id: ConnectionId) -> Option<Bytes> {
        let (bytes, is_news) = self.connection_mut(id)?.read()?;
        if is_news {
            self.command(id);
        }
        Some(bytes)
    }

    /// Closes the sending direction of a connection once all written data has arrived. The peer may continue to send.
    pub fn close(&mut self, _now: Time, id: ConnectionId) {
        if let Some(connection) = self.command(id) {
            connection.close();
        }
    }

    /// Aborts a connection.
    pub fn abort(&mut self, _now: Time, id: ConnectionId) {
        if let Some(connection) = self.command(id) {
            connection.abort();
        }
    }

    /// Releases a closed connection with its counters and unread data, as soon as the peer does not need it any more.
    /// An open connection is not changed.
    pub fn forget(&mut self, id: ConnectionId) {
        if let Some(connection) = self.command(id) {
            connection.forgotten |= connection.has_ended();
            self.drop_forgotten(id.0 as usize);
        }
    }

    /// Adds a path to a connection, or the same path once more. Has no effect for plain TCP, or if the connection is
    /// not established or is closing. [`Event::PathUp`] reports when the path can be used.
    pub fn add_subflow(&mut self, _now: Time, id: ConnectionId, via: Via) {
        let takes = |connection: &&Connection| connection.takes_subflows();
        let Some(connection) = self.connection(id).filter(takes) else { return };
        let join = self.prepare(via, connection.peer_port());
        if let Some(connection) = self.command(id) {
            connection.join(join);
        }
    }

    /// Removes a path from a connection. Data in flight on the path still arrives. The last path on which both sides
    /// send stays, and so does the only path of plain TCP. [`Event::PathDown`] reports when both sides have closed the
    /// path, which the peer does as soon as it has another one to send on.
    pub fn remove_subflow(&mut self, _now: Time, id: ConnectionId, path: PathId) {
        if let Some(connection) = self.command(id) {
            connection.remove_subflow(path);
        }
    }

    /// The counters of a connection.
    ///
    /// # Panics
    /// If there is no such connection.
    pub fn stats(&self, id: ConnectionId) -> &Stats {
        self.known(id).stats()
    }

    /// The counters of a path of a connection, and its current state.
    ///
    /// # Panics
    /// If there is no such connection or path.
    pub fn path_stats(&self, id: ConnectionId, path: PathId) -> PathStats {
        self.known(id).path_stats(path)
    }

    /// How much a path of a connection may carry, and how much it carries.
    ///
    /// # Panics
    /// If there is no such connection or path.
    #[inline]
    pub fn path_window(&self, id: ConnectionId, path: PathId) -> PathWindow {
        self.known(id).path_window(path)
    }

    /// The time for which a path of a connection could not send new data, by limit, from the establishment to `now`.
    ///
    /// # Panics
    /// If there is no such connection or path.
    pub fn blocked(&self, now: Time, id: ConnectionId, path: PathId) -> BlockedTime {
        self.known(id).blocked(now, path)
    }

    /// Weight of a path in standard TCPs; `None` if the congestion control has no weights.
    ///
    /// # Panics
    /// If there is no such connection or path.
    pub fn weight(&self, id: ConnectionId, path: PathId) -> Option<f64> {
        self.known(id).weight(path)
    }

    /// The number of paths of a connection.
    ///
    /// # Panics
    /// If there is no such connection.
    pub fn path_count(&self, id: ConnectionId) -> usize {
        self.known(id).path_count()
    }

    /// The addresses of a path of a connection.
    ///
    /// # Panics
    /// If there is no such connection or path.
    pub fn path_via(&self, id: ConnectionId, path: PathId) -> Via {
        self.known(id).via(path.index())
    }

    /// Bytes of a connection that arrived out of order and cannot be read yet; 0 if there is no such connection.
    pub fn unread(&self, id: ConnectionId) -> u64 {
        self.connection(id).map_or(0, Connection::unread)
    }

    fn known(&self, id: ConnectionId) -> &Connection {
        self.connection(id).unwrap_or_else(|| panic!("there is no connection {}", id.0))
    }

    #[inline]
    fn connection(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(id.0 as usize)?.as_deref()
    }

    #[inline]
    fn connection_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(id.0 as usize)?.as_deref_mut()
    }

    /// The connection for a command; marks it for the next poll.
    #[inline]
    fn command(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(id.0 as usize)?.as_deref_mut()?;
        if !connection.is_ready {
            connection.is_ready = true;
            self.ready.push(id.0);
        }
        Some(connection)
    }

    fn add(&mut self, connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.connections.len() as u32);
        self.connections.push(Some(Box::new(connection)));
        self.due.push(Time::NEVER);
        self.command(id);
        id
    }

    /// The connection and the subflow of a segment. Most segments belong to the same subflow as the segment before.
    #[inline]
    fn find(&self, via: Via, segment: &Segment) -> Option<(usize, usize)> {
        let ports = (segment.destination_port, segment.source_port);
        let (index, subflow) = self.latest;
        if let Some(connection) = self.connections.get(index)?.as_deref()
            && connection.owns(subflow, via, ports)
        {
            return Some(self.latest);
        }
        self.find_any(via, ports)
    }

    fn find_any(&self, via: Via, ports: (u16, u16)) -> Option<(usize, usize)> {
        let owner = |index: usize| {
            let connection = self.connections[index].as_deref()?;
            let mut subflows = 0..connection.path_count();
            Some((index, subflows.find(|subflow| connection.owns(*subflow, via, ports))?))
        };
        let (latest, _) = self.latest;
        owner(latest).or_else(|| (0..self.connections.len()).find_map(owner))
    }

    /// The endpoint's own port, or another port if a known connection has used the same addresses and ports: the peer
    /// may not have released them yet.
    fn free_port(&self, via: Via, peer_port: u16) -> u16 {
        let is_free = |port: &u16| {
            let mut connections = self.connections.iter().flatten();
            connections.all(|connection| !connection.has_used(via, *port, peer_port))
        };
        let mut ports = std::iter::once(self.config.port).chain(FIRST_DYNAMIC_PORT..=u16::MAX);
        ports.find(is_free).expect("an endpoint has fewer connections than ports")
    }

    fn initial_sequence(&mut self) -> u32 {
        let drawn = self.random.next_u64() as u32;
        self.config.initial_sequence.unwrap_or(drawn)
    }

    /// Handles a segment that belongs to no connection: SYN opens a connection, any other segment is answered with RST.
    /// RFC 9293 §3.10.7.1, §3.10.7.2
    #[cold]
    fn answer_stray(&mut self, via: Via, segment: &Segment) {
        let flags = segment.flags;
        let (local_port, peer_port) = (segment.destination_port, segment.source_port);
        if flags.contains(Flags::RST) {
            return;
        }
        let listens = local_port == self.config.port;
        if listens && flags.contains(Flags::SYN) && !flags.contains(Flags::ACK) {
            let ports = (local_port, peer_port);
            if let Some(MultipathOption::Join { token }) = segment.options.multipath {
                if let Some(id) = self.named(token) {
                    let join = Opening { via, ports, iss: self.initial_sequence() };
                    return self.accept_join(id, join, segment);
                }
            } else {
                let first = Opening { via, ports, iss: self.initial_sequence() };
                return self.accept(first, segment);
            }
        }
        let (seq, ack) = if flags.contains(Flags::ACK) {
            (segment.ack, None)
        } else {
            (0, Some(segment.seq.wrapping_add(segment.length() as u32)))
        };
        self.replies.push_back(Reply { via, peer_port, local_port, seq, ack });
    }

    fn accept(&mut self, first: Opening, syn: &Segment) {
        let bundle = self.config.multipath.map(|rules| {
            let key = self.random.next_u64();
            Box::new(Bundle::new(rules, key, Vec::new(), &self.config))
        });
        self.add(Connection::accept(first, bundle, Arc::clone(&self.config), syn));
    }

    /// The connection that a SYN with this token may join. RFC 8684 §3.2
    fn named(&self, token: u32) -> Option<ConnectionId> {
        let is_meant = |connection: &Option<Box<Connection>>| {
            connection.as_deref().is_some_and(|connection| connection.is_named(token))
        };
        let index = self.connections.iter().position(is_meant)?;
        Some(ConnectionId(index as u32))
    }

    fn accept_join(&mut self, id: ConnectionId, join: Opening, syn: &Segment) {
        if let Some(connection) = self.command(id) {
            connection.accept_join(join, syn);
        }
    }

    /// Removes a connection that has nothing to send from the list of ready connections.
    #[inline]
    fn pass(&mut self, index: usize) {
        self.ready.swap_remove(self.turn);
        self.turn = if self.turn < self.ready.len() { self.turn } else { 0 };
        self.settle(index);
    }

    /// Updates the lists for a connection that has nothing to send: its next timer, and whether it has events.
    #[inline]
    fn settle(&mut self, index: usize) {
        let Some(connection) = self.connections[index].as_deref_mut() else { return };
        connection.is_ready = false;
        if connection.has_notices() && !connection.is_talking {
            connection.is_talking = true;
            self.talking.push(index as u32);
        }
        let at = connection.poll_timeout();
        let before = std::mem::replace(&mut self.due[index], at);
        if at <= self.next_due {
            self.next_due = at;
        } else if before == self.next_due {
            self.next_due = earliest(&self.due);
        }
        if connection.forgotten {
            self.drop_forgotten(index);
        }
    }

    #[cold]
    fn drop_forgotten(&mut self, index: usize) {
        self.connections[index].take_if(|connection| connection.forgotten && connection.is_over());
    }

    #[cold]
    fn write_reply(&mut self, segment: &mut Segment) -> Option<Via> {
        let Reply { via, peer_port, local_port, seq, ack } = self.replies.pop_front()?;
        segment.source_port = local_port;
        segment.destination_port = peer_port;
        segment.seq = seq;
        segment.ack = ack.unwrap_or(0);
        segment.window = 0;
        segment.flags = if ack.is_some() { Flags::RST.with(Flags::ACK) } else { Flags::RST };
        Some(via)
    }
}

impl SansIo for Endpoint {
    type Packet = Segment;
    type Event = Event;

    #[inline]
    fn handle_packet(&mut self, now: Time, via: Via, segment: &mut Segment) {
        let Some((index, subflow)) = self.find(via, segment) else {
            return self.answer_stray(via, segment);
        };
        self.latest = (index, subflow);
        if let Some(connection) = self.command(ConnectionId(index as u32)) {
            connection.handle_segment(now, subflow, segment);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        for index in 0..self.due.len() {
            if self.due[index] <= now
                && let Some(connection) = self.command(ConnectionId(index as u32))
            {
                connection.handle_timeout(now);
            }
        }
    }

    #[inline]
    fn poll_transmit(&mut self, now: Time, segment: &mut Segment) -> Option<Via> {
        while let Some(&index) = self.ready.get(self.turn) {
            let index = index as usize;
            let mut sent = None;
            if let Some(connection) = self.connections[index].as_deref_mut() {
                sent = connection.poll_transmit(now, segment).map(|by| connection.via(by));
                if sent.is_some() && !connection.is_exhausted() {
                    // Connections that have something to send take turns
                    self.turn = if self.turn + 1 < self.ready.len() { self.turn + 1 } else { 0 };
                    return sent;
                }
                connection.note_limits(now);
            }
            self.pass(index);
            if sent.is_some() {
                return sent;
            }
        }
        if self.replies.is_empty() { None } else { self.write_reply(segment) }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        !self.ready.is_empty() || !self.replies.is_empty()
    }

    #[inline]
    fn poll_timeout(&self) -> Time {
        self.next_due
    }

    #[inline]
    fn poll_event(&mut self) -> Option<Event> {
        while let Some(&index) = self.talking.last() {
            let Some(connection) = self.connections[index as usize].as_deref_mut() else {
                self.talking.pop();
                continue;
            };
            let notice = connection.poll_notice();
            if !connection.has_notices() {
                connection.is_talking = false;
                self.talking.pop();
            }
            if let Some(notice) = notice {
                return Some(event(ConnectionId(index), notice));
            }
        }
        None
    }
}

#[inline]
fn earliest(due: &[Time]) -> Time {
    if let [only] = due { *only } else { earliest_of_many(due) }
}

#[inline(never)]
fn earliest_of_many(due: &[Time]) -> Time {
    due.iter().copied().min().unwrap_or(Time::NEVER)
}

#[inline]
fn event(connection: ConnectionId, notice: Notice) -> Event {
    match notice {
        Notice::Connected => Event::Connected(connection),
        Notice::Readable => Event::Readable(connection),
        Notice::Writable => Event::Writable(connection),
        Notice::PeerFinished => Event::PeerFinished(connection),
        Notice::PathUp(path) => Event::PathUp { connection, path },
        Notice::PathDown(path) => Event::PathDown { connection, path },
        Notice::Closed(reason) => Event::Closed { connection, reason },
    }
}

/// The first port of the dynamic range, which is never assigned. RFC 6335 §6
const FIRST_DYNAMIC_PORT: u16 = 49_152;
