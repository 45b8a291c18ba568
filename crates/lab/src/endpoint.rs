//! An endpoint as applications see it: SCTP or TCP behind one face.

use bytes::Bytes;
use manypath_core::{SansIo, Time, Via};
use manypath_sctp as sctp;
use manypath_tcp as tcp;

use crate::app::{content, ppid};
use crate::packet::Packet;

/// An endpoint of either protocol.
#[derive(Debug)]
pub(crate) enum Endpoint {
    Sctp(sctp::Endpoint),
    Tcp(tcp::Endpoint),
}

/// Names one association or connection of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionId(u32);

/// What an application reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Connected(ConnectionId),
    Readable(ConnectionId),
    Writable,
    /// What waits to be read is the last that comes.
    PeerFinished(ConnectionId),
    Closed(Ending),
    /// Nothing that an application has to do with.
    Other,
}

/// Why an association or connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The reason in an outcome.
    pub(crate) name: &'static str,
    /// Everything that was sent has arrived.
    pub(crate) in_order: bool,
}

/// A message that a source hands over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    /// Its place among the messages of the flow.
    pub(crate) number: u64,
    /// Bytes.
    pub(crate) length: u32,
    /// Where it goes, if the protocol has streams.
    pub(crate) stream: u16,
    /// Whether it keeps its place in the stream, if the protocol leaves a choice.
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

impl Endpoint {
    pub(crate) fn connect(&mut self, now: Time, paths: &[Via], peer_port: u16) -> ConnectionId {
        ConnectionId(match self {
            Self::Sctp(sctp) => sctp.connect(now, paths, peer_port).0,
            Self::Tcp(tcp) => tcp.connect(now, paths, peer_port).0,
        })
    }

    /// Free bytes of the send buffer.
    #[inline]
    pub(crate) fn send_space(&self, id: ConnectionId) -> usize {
        match self {
            Self::Sctp(sctp) => sctp.send_space(id.sctp()),
            Self::Tcp(tcp) => tcp.write_space(id.tcp()),
        }
    }

    /// Hands a message over; false if it was not taken.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, id: ConnectionId, message: Outgoing) -> bool {
        let Outgoing { number, length, stream, ordered } = message;
        let payload = content(number, length);
        match self {
            Self::Sctp(sctp) => {
                let ppid = ppid(number);
                let message = sctp::Message { stream, ppid, unordered: !ordered, payload };
                sctp.send(now, id.sctp(), message).is_ok()
            }
            Self::Tcp(tcp) => tcp.write(now, id.tcp(), payload).is_ok(),
        }
    }

    /// Reads what waits.
    #[inline]
    pub(crate) fn receive(&mut self, now: Time, id: ConnectionId) -> Option<Incoming> {
        match self {
            Self::Sctp(sctp) => sctp.receive(now, id.sctp()).map(Incoming::Message),
            Self::Tcp(tcp) => tcp.read(now, id.tcp()).map(Incoming::Bytes),
        }
    }

    /// Sends no more; the association or connection ends when everything has arrived, that of TCP when the peer has
    /// closed, too.
    pub(crate) fn close(&mut self, now: Time, id: ConnectionId) {
        match self {
            Self::Sctp(sctp) => sctp.shutdown(now, id.sctp()),
            Self::Tcp(tcp) => tcp.close(now, id.tcp()),
        }
    }

    /// Bytes that have arrived and cannot be read yet.
    #[inline]
    pub(crate) fn reordered(&self, now: Time, id: ConnectionId) -> u64 {
        match self {
            Self::Sctp(sctp) => sctp.reorder_stats(now, id.sctp()).bytes,
            Self::Tcp(tcp) => tcp.unread(id.tcp()),
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
        tcp::ConnectionId(self.0)
    }
}

impl SansIo for Endpoint {
    type Packet = Packet;
    type Event = Event;

    #[inline]
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        match self {
            Self::Sctp(sctp) => sctp.handle_packet(now, via, packet.sctp_mut()),
            Self::Tcp(tcp) => tcp.handle_packet(now, via, packet.tcp_mut()),
        }
    }

    fn handle_damaged(&mut self, now: Time, via: Via, packet: &mut Packet, damaged_byte: u32) {
        match self {
            Self::Sctp(sctp) => sctp.handle_damaged(now, via, packet.sctp_mut(), damaged_byte),
            Self::Tcp(tcp) => tcp.handle_damaged(now, via, packet.tcp_mut(), damaged_byte),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Sctp(sctp) => sctp.handle_timeout(now),
            Self::Tcp(tcp) => tcp.handle_timeout(now),
        }
    }

    #[inline]
    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        match self {
            Self::Sctp(sctp) => sctp.poll_transmit(now, packet.sctp_mut()),
            Self::Tcp(tcp) => tcp.poll_transmit(now, packet.tcp_mut()),
        }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        match self {
            Self::Sctp(sctp) => sctp.may_transmit(),
            Self::Tcp(tcp) => tcp.may_transmit(),
        }
    }

    #[inline]
    fn poll_timeout(&self) -> Time {
        match self {
            Self::Sctp(sctp) => sctp.poll_timeout(),
            Self::Tcp(tcp) => tcp.poll_timeout(),
        }
    }

    #[inline]
    fn poll_event(&mut self) -> Option<Event> {
        match self {
            Self::Sctp(sctp) => sctp.poll_event().map(Event::from),
            Self::Tcp(tcp) => tcp.poll_event().map(Event::from),
        }
    }
}

impl From<sctp::Event> for Event {
    #[inline]
    fn from(event: sctp::Event) -> Self {
        match event {
            sctp::Event::Connected(id) => Self::Connected(ConnectionId(id.0)),
            sctp::Event::Readable(id) => Self::Readable(ConnectionId(id.0)),
            sctp::Event::Writable(_) => Self::Writable,
            sctp::Event::Closed { reason, .. } => Self::Closed(reason.into()),
            sctp::Event::PathPotentiallyFailed { .. }
            | sctp::Event::PathDown { .. }
            | sctp::Event::PathUp { .. }
            | sctp::Event::Restarted(_) => Self::Other,
        }
    }
}

impl From<tcp::Event> for Event {
    #[inline]
    fn from(event: tcp::Event) -> Self {
        match event {
            tcp::Event::Connected(id) => Self::Connected(ConnectionId(id.0)),
            tcp::Event::Readable(id) => Self::Readable(ConnectionId(id.0)),
            tcp::Event::Writable(_) => Self::Writable,
            tcp::Event::PeerFinished(id) => Self::PeerFinished(ConnectionId(id.0)),
            tcp::Event::Closed { reason, .. } => Self::Closed(reason.into()),
            tcp::Event::PathUp { .. } | tcp::Event::PathDown { .. } => Self::Other,
        }
    }
}

impl From<sctp::CloseReason> for Ending {
    fn from(reason: sctp::CloseReason) -> Self {
        use sctp::CloseReason;
        let name = match reason {
            CloseReason::Shutdown => "shutdown",
            CloseReason::AbortedByPeer => "aborted-by-peer",
            CloseReason::AbortedHere => "aborted-here",
            CloseReason::Unreachable => "unreachable",
            CloseReason::ProtocolViolation => "protocol-violation",
        };
        Self { name, in_order: reason == CloseReason::Shutdown }
    }
}

impl From<tcp::CloseReason> for Ending {
    fn from(reason: tcp::CloseReason) -> Self {
        use tcp::CloseReason;
        let name = match reason {
            CloseReason::Finished => "finished",
            CloseReason::ResetByPeer => "reset-by-peer",
            CloseReason::ResetHere => "reset-here",
            CloseReason::Unreachable => "unreachable",
            CloseReason::ProtocolViolation => "protocol-violation",
        };
        Self { name, in_order: reason == CloseReason::Finished }
    }
}
