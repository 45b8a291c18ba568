//! An endpoint as applications use it: SCTP and TCP with a common interface.

use bytes::Bytes;
use manypath_core::{SansIo, Time, Via};
use manypath_events::Closed;
use manypath_sctp as sctp;
use manypath_tcp as tcp;

use crate::payload::{content, ppid};

/// An endpoint of either protocol.
#[derive(Debug)]
pub(crate) enum Endpoint {
    Sctp(sctp::Endpoint),
    Tcp(tcp::Endpoint),
}

/// Identifies one association or connection of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionId(u64);

/// An event for an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Connected(ConnectionId),
    Readable(ConnectionId),
    Writable,
    /// The peer has finished: what can be read now is the last data.
    PeerFinished(ConnectionId),
    Closed(Ending),
    /// An event that does not concern an application.
    Other,
}

/// Why an association or connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The reason as it is named in an outcome.
    pub(crate) name: &'static str,
    /// Whether everything that was sent has arrived.
    pub(crate) in_order: bool,
}

/// A message that a source hands over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    /// Its number among the messages of the flow.
    pub(crate) number: u64,
    /// Length in bytes.
    pub(crate) length: u32,
    /// Its stream, if the protocol has streams.
    pub(crate) stream: u16,
    /// Whether it is delivered in order, if the protocol offers a choice.
    pub(crate) ordered: bool,
}

/// What a sink reads.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A whole message.
    Message(sctp::Message),
    /// The next bytes of a stream.
    Bytes(Bytes),
}

/// The interface between applications and an endpoint of any protocol.
pub(crate) trait Transport: SansIo<Event: Into<Event>> {
    /// Opens an association or connection over `paths`; the first one is the primary path.
    fn open(&mut self, now: Time, paths: &[Via], peer_port: u16) -> ConnectionId;

    /// Free space of the send buffer in bytes.
    fn space(&self, id: ConnectionId) -> usize;

    /// Hands a message over; returns false if it was not accepted.
    fn hand_over(&mut self, now: Time, id: ConnectionId, message: Outgoing) -> bool;

    /// Reads data that arrived.
    fn take(&mut self, now: Time, id: ConnectionId) -> Option<Incoming>;

    /// Closes the sending direction. An association ends when everything has arrived, a TCP connection when the peer
    /// has closed, too.
    fn finish(&mut self, now: Time, id: ConnectionId);

    /// Bytes that have arrived and cannot be read yet.
    fn reordered(&self, now: Time, id: ConnectionId) -> u64;
}

impl Transport for sctp::Endpoint {
    fn open(&mut self, now: Time, paths: &[Via], peer_port: u16) -> ConnectionId {
        ConnectionId(self.connect(now, paths, peer_port).0)
    }

    #[inline]
    fn space(&self, id: ConnectionId) -> usize {
        self.send_space(id.sctp())
    }

    #[inline]
    fn hand_over(&mut self, now: Time, id: ConnectionId, message: Outgoing) -> bool {
        let Outgoing { number, length, stream, ordered } = message;
        let (ppid, payload) = (ppid(number), content(number, length));
        let message = sctp::Message { stream, ppid, unordered: !ordered, payload, part: None };
        self.send(now, id.sctp(), message).is_ok()
    }

    #[inline]
    fn take(&mut self, now: Time, id: ConnectionId) -> Option<Incoming> {
        self.receive(now, id.sctp()).map(Incoming::Message)
    }

    fn finish(&mut self, now: Time, id: ConnectionId) {
        self.shutdown(now, id.sctp());
    }

    #[inline]
    fn reordered(&self, now: Time, id: ConnectionId) -> u64 {
        self.reorder_stats(now, id.sctp()).bytes
    }
}

impl Transport for tcp::Endpoint {
    fn open(&mut self, now: Time, paths: &[Via], peer_port: u16) -> ConnectionId {
        ConnectionId(u64::from(self.connect(now, paths, peer_port).0))
    }

    #[inline]
    fn space(&self, id: ConnectionId) -> usize {
        self.write_space(id.tcp())
    }

    #[inline]
    fn hand_over(&mut self, now: Time, id: ConnectionId, message: Outgoing) -> bool {
        self.write(now, id.tcp(), content(message.number, message.length)).is_ok()
    }

    #[inline]
    fn take(&mut self, now: Time, id: ConnectionId) -> Option<Incoming> {
        self.read(now, id.tcp()).map(Incoming::Bytes)
    }

    fn finish(&mut self, now: Time, id: ConnectionId) {
        self.close(now, id.tcp());
    }

    #[inline]
    fn reordered(&self, _now: Time, id: ConnectionId) -> u64 {
        self.unread(id.tcp())
    }
}

impl Endpoint {
    /// Free space of the send buffer in bytes.
    pub(crate) fn space(&self, id: ConnectionId) -> usize {
        match self {
            Self::Sctp(sctp) => sctp.space(id),
            Self::Tcp(tcp) => tcp.space(id),
        }
    }
}

impl ConnectionId {
    #[inline]
    pub(crate) fn sctp(self) -> sctp::AssociationId {
        sctp::AssociationId(self.0)
    }

    #[inline]
    pub(crate) fn tcp(self) -> tcp::ConnectionId {
        tcp::ConnectionId(self.0 as u32)
    }
}

impl From<sctp::Event> for Event {
    #[inline]
    fn from(event: sctp::Event) -> Self {
        match event {
            sctp::Event::Readable(id) => Self::Readable(ConnectionId(id.0)),
            sctp::Event::Writable(_) => Self::Writable,
            event => rare(event),
        }
    }
}

/// Converts an event that occurs only a few times in the life of an association.
#[cold]
#[expect(clippy::needless_pass_by_value, reason = "the usual way has no event to drop")]
fn rare(event: sctp::Event) -> Event {
    match event {
        sctp::Event::Connected(id) => Event::Connected(ConnectionId(id.0)),
        sctp::Event::Closed { reason, .. } => Event::Closed(reason.into()),
        _ => Event::Other,
    }
}

impl From<tcp::Event> for Event {
    #[inline]
    fn from(event: tcp::Event) -> Self {
        match event {
            tcp::Event::Connected(id) => Self::Connected(ConnectionId(u64::from(id.0))),
            tcp::Event::Readable(id) => Self::Readable(ConnectionId(u64::from(id.0))),
            tcp::Event::Writable(_) => Self::Writable,
            tcp::Event::PeerFinished(id) => Self::PeerFinished(ConnectionId(u64::from(id.0))),
            tcp::Event::Closed { reason, .. } => Self::Closed(reason.into()),
            tcp::Event::PathUp { .. } | tcp::Event::PathDown { .. } => Self::Other,
        }
    }
}

impl From<sctp::CloseReason> for Ending {
    fn from(reason: sctp::CloseReason) -> Self {
        Self { name: Closed::from(reason).reason, in_order: reason == sctp::CloseReason::Shutdown }
    }
}

impl From<tcp::CloseReason> for Ending {
    fn from(reason: tcp::CloseReason) -> Self {
        Self { name: Closed::from(reason).reason, in_order: reason == tcp::CloseReason::Finished }
    }
}
