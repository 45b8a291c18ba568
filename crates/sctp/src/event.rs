//! What an endpoint tells its application.

use bytes::Bytes;
use manypath_core::PathId;

/// Names one association of an endpoint.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AssociationId(pub u32);

/// Something that the application may want to know.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// The association stands; data may be sent.
    Connected(AssociationId),
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
    /// The peer opened the association anew; what was outstanding is lost. RFC 9260 §5.2.4
    Restarted(AssociationId),
    /// The association is gone.
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
    /// A message needs at least one byte.
    Empty,
    /// The message is larger than the whole send buffer.
    TooLarge,
}
