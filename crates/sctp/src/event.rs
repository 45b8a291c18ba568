//! The events of an endpoint for its application.

use bytes::Bytes;
use manypath_core::{PathId, Span, Ssn, Tsn};

use crate::packet::Cause;

/// Identifies one association of an endpoint. An identifier is never used again.
///
/// The lower half is the place where the endpoint keeps the association, the upper half counts the associations that
/// were there before.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AssociationId(pub u64);

impl AssociationId {
    pub(crate) fn new(slot: usize, generation: u32) -> Self {
        Self(u64::from(generation) << 32 | slot as u64)
    }

    #[inline]
    pub(crate) fn slot(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline]
    pub(crate) fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// An event for the application.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// The association is established; data may be sent.
    Connected(AssociationId),
    /// A peer has opened the association, which stands and waits for [`Endpoint::accept`](crate::Endpoint::accept); only
    /// with a backlog, else [`Connected`](Self::Connected) announces it.
    Incoming(AssociationId),
    /// At least one message waits to be read.
    Readable(AssociationId),
    /// The send buffer has room again.
    Writable(AssociationId),
    /// A path may have failed: others are preferred. RFC 7829 §3.2 item 12
    PathPotentiallyFailed {
        /// The association.
        association: AssociationId,
        /// Its path.
        path: PathId,
    },
    /// A path failed.
    PathDown {
        /// The association.
        association: AssociationId,
        /// Its path.
        path: PathId,
    },
    /// A path works, or works again.
    PathUp {
        /// The association.
        association: AssociationId,
        /// Its path.
        path: PathId,
    },
    /// The peer restarted the association; outstanding data is lost. RFC 9260 §5.2.4
    Restarted(AssociationId),
    /// The peer sends nothing more, and everything that it has sent is here. Only with
    /// [`Config::detailed_events`](crate::Config::detailed_events), as the following four.
    PeerShutdown(AssociationId),
    /// A message, or a part of one, will not reach the peer: it expired, or the association ended or
    /// restarted.
    SendFailed {
        /// The association.
        association: AssociationId,
        /// The message. One that was sent comes chunk by chunk.
        message: Box<Message>,
        /// Whether it was sent: then it may have arrived all the same.
        sent: bool,
    },
    /// The peer has acknowledged everything.
    SenderDry(AssociationId),
    /// The peer reports an error that does not end the association. RFC 9260 §11.2.6
    RemoteError {
        /// The association.
        association: AssociationId,
        /// What it says.
        cause: Box<Cause>,
    },
    /// The association has ended or restarted in the middle of a message that is handed over part by part: the missing parts
    /// never come. RFC 6458 §6.1.7
    PartialDeliveryAborted {
        /// The association.
        association: AssociationId,
        /// TSN of the first chunk of the message, as [`Part::message`] names it.
        message: Tsn,
        /// The stream of the message.
        stream: u16,
        /// The number of the message in its stream; none if it is unordered.
        ssn: Option<Ssn>,
    },
    /// The association has ended.
    Closed {
        /// The association.
        association: AssociationId,
        /// Why.
        reason: CloseReason,
    },
}

/// Why an association ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CloseReason {
    /// Both sides shut it down in order; everything sent has arrived.
    Shutdown,
    /// The peer aborted it.
    AbortedByPeer,
    /// The application aborted it.
    AbortedHere,
    /// The peer does not answer any more, or never did.
    Unreachable,
    /// The peer broke the protocol.
    ProtocolViolation,
}

/// A user message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// Stream number.
    pub stream: u16,
    /// Payload protocol identifier, opaque to SCTP.
    pub ppid: u32,
    /// Delivered without regard to order.
    pub unordered: bool,
    /// The data; not empty.
    pub payload: Bytes,
    /// Where the payload is a part of a message that was read: which message it belongs to, and whether that goes on. No
    /// meaning in a message that is sent.
    pub part: Option<Part>,
}

/// A message that was read, and the numbers under which it travelled. RFC 9260 §11.1.7
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Received {
    /// The message, or a part of one.
    pub message: Message,
    /// TSN of its first chunk; of a part, that of the first chunk of the whole message.
    pub tsn: Tsn,
    /// Its number in its stream; none if it is unordered.
    pub ssn: Option<Ssn>,
}

/// What may be asked for a message that is sent. RFC 9260 §11.1.5
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SendOptions {
    /// If the first transmission has not begun after this time, the message is dropped: with
    /// [`Config::detailed_events`](crate::Config::detailed_events), [`Event::SendFailed`] tells. No limit without a number.
    pub lifetime: Option<Span>,
    /// The path of the first transmission. If it does not work when it is the message's turn, another one is taken.
    ///
    /// Messages for other paths may overtake the message, those of the same stream only if either is unordered.
    pub path: Option<PathId>,
    /// Once everything that was handed over has left, its last packet asks for an immediate SACK. RFC 7053 §4.1
    pub sack_immediately: bool,
}

/// The message that a part belongs to. RFC 9260 §6.9
///
/// A message too large for the receive buffer is handed over part by part, in order. Between two parts other messages may
/// come. If the association ends or restarts, the missing parts never come: [`Event::PartialDeliveryAborted`] tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Part {
    /// TSN of the first chunk of the message, the same in all its parts.
    pub message: Tsn,
    /// Another part will follow.
    pub more_follows: bool,
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SendError {
    /// There is no such association, or it is closing.
    NotConnected,
    /// The send buffer has no room; a `Writable` event will follow.
    BufferFull,
    /// The stream was not negotiated.
    NoSuchStream,
    /// The association has no path with the number that was asked for.
    NoSuchPath,
    /// A message needs at least one byte.
    Empty,
    /// The message is larger than the whole send buffer, or than a packet where messages are not cut into fragments.
    TooLarge,
}
