//! The events of an endpoint for its application.

use bytes::Bytes;
use manypath_core::{PathId, Span, Ssn, Tsn};

use crate::packet::Cause;

/// Identifies one association of an endpoint. An identifier is never reused.
///
/// The lower half is the slot of the association, the upper half counts the associations that used the slot before.
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
    /// A peer has opened the association, which waits for [`Endpoint::accept`](crate::Endpoint::accept). Only with a
    /// backlog; without one, [`Connected`](Self::Connected) announces it.
    Incoming(AssociationId),
    /// At least one message waits to be read.
    Readable(AssociationId),
    /// The send buffer has room again.
    Writable(AssociationId),
    /// A path is potentially failed: data uses other paths. RFC 7829 §3.2 item 12
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
    /// A path is confirmed, or works again.
    PathUp {
        /// The association.
        association: AssociationId,
        /// Its path.
        path: PathId,
    },
    /// The peer restarted the association; outstanding data is lost. RFC 9260 §5.2.4
    Restarted(AssociationId),
    /// The peer sends no more data, and all of its data has arrived. Only with
    /// [`Config::detailed_events`](crate::Config::detailed_events), like the following four events.
    PeerShutdown(AssociationId),
    /// A message, or a part of one, was not acknowledged and will not be sent again: it expired, or the association
    /// ended or restarted.
    SendFailed {
        /// The association.
        association: AssociationId,
        /// The message; a message that was sent is reported chunk by chunk.
        message: Box<Message>,
        /// Whether it was sent, so that it may have arrived.
        sent: bool,
    },
    /// The peer has acknowledged all data.
    SenderDry(AssociationId),
    /// The peer reports an error that does not end the association. RFC 9260 §11.2.6
    RemoteError {
        /// The association.
        association: AssociationId,
        /// The reported cause.
        cause: Box<Cause>,
    },
    /// The association ended or restarted before all parts of a partially delivered message arrived. RFC 6458 §6.1.7
    PartialDeliveryAborted {
        /// The association.
        association: AssociationId,
        /// TSN of the first chunk of the message, as in [`Part::message`].
        message: Tsn,
        /// The stream of the message.
        stream: u16,
        /// The stream sequence number of the message; `None` if it is unordered.
        ssn: Option<Ssn>,
    },
    /// The association has ended.
    Closed {
        /// The association.
        association: AssociationId,
        /// The reason.
        reason: CloseReason,
    },
}

/// Why an association ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CloseReason {
    /// Both sides closed it gracefully; all data has arrived.
    Shutdown,
    /// The peer aborted it.
    AbortedByPeer,
    /// The application aborted it.
    AbortedHere,
    /// The peer does not answer.
    Unreachable,
    /// The peer violated the protocol.
    ProtocolViolation,
}

/// A user message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// Stream number.
    pub stream: u16,
    /// Payload protocol identifier, which SCTP does not interpret.
    pub ppid: u32,
    /// Whether the message is delivered without regard to order.
    pub unordered: bool,
    /// The user data; not empty.
    pub payload: Bytes,
    /// In a received message: the partially delivered message that the payload belongs to, if any. Ignored in sent
    /// messages.
    pub part: Option<Part>,
}

/// A received message with its TSN and stream sequence number. RFC 9260 §11.1.7
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Received {
    /// The message, or a part of a partially delivered one.
    pub message: Message,
    /// TSN of the first chunk of the whole message.
    pub tsn: Tsn,
    /// The stream sequence number; `None` if the message is unordered.
    pub ssn: Option<Ssn>,
}

/// Options of a sent message. RFC 9260 §11.1.5
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SendOptions {
    /// The message is dropped if its first transmission has not begun after this time; [`Event::SendFailed`] reports
    /// this with [`Config::detailed_events`](crate::Config::detailed_events). No limit if `None`.
    pub lifetime: Option<Span>,
    /// The path of the first transmission. If that path does not work at the message's turn, another one is used.
    ///
    /// Messages for other paths may overtake this message; messages of the same stream only if one of them is
    /// unordered.
    pub path: Option<PathId>,
    /// Once everything that was handed over has left, its last packet asks for an immediate SACK. RFC 7053 §4.1
    pub sack_immediately: bool,
}

/// The message to which a part belongs. RFC 9260 §6.9
///
/// A message larger than the receive buffer is delivered in parts, in order. Other messages may be delivered between
/// two parts. If the association ends or restarts, [`Event::PartialDeliveryAborted`] reports that the remaining parts
/// will not arrive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Part {
    /// TSN of the first chunk of the message, equal in all its parts.
    pub message: Tsn,
    /// Whether this is not the last part.
    pub more_follows: bool,
}

/// Why a message was refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SendError {
    /// There is no such association, or it is closing.
    NotConnected,
    /// The send buffer has no room; an [`Event::Writable`] will follow.
    BufferFull,
    /// The stream number is not below the number of outbound streams.
    NoSuchStream,
    /// The association has no path with this number.
    NoSuchPath,
    /// The message is empty.
    Empty,
    /// The message is larger than the send buffer, or than a packet if fragmentation is disabled.
    TooLarge,
}
