//! The events of an endpoint for its application.

use manypath_core::PathId;

/// Identifies one connection of an endpoint.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ConnectionId(pub u32);

/// An event for the application.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Event {
    /// The connection is established; data may be sent.
    Connected(ConnectionId),
    /// Bytes can be read.
    Readable(ConnectionId),
    /// The send buffer has room again.
    Writable(ConnectionId),
    /// The peer has closed its direction: no data follows after the bytes that can be read. The own direction stays
    /// open.
    PeerFinished(ConnectionId),
    /// A path can be used.
    PathUp {
        /// The connection.
        connection: ConnectionId,
        /// Its path.
        path: PathId,
    },
    /// A path has been closed or has failed.
    PathDown {
        /// The connection.
        connection: ConnectionId,
        /// Its path.
        path: PathId,
    },
    /// The connection has ended.
    Closed {
        /// The connection.
        connection: ConnectionId,
        /// The reason.
        reason: CloseReason,
    },
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CloseReason {
    /// Both sides closed it; everything sent has arrived.
    Finished,
    /// The peer reset it.
    ResetByPeer,
    /// The application aborted it.
    ResetHere,
    /// The peer does not answer.
    Unreachable,
    /// The peer violated the protocol.
    ProtocolViolation,
}

/// The reason for which bytes were not accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WriteError {
    /// There is no such connection, or it is closing.
    NotConnected,
    /// The send buffer has no room; a `Writable` event will follow.
    BufferFull,
    /// The bytes are larger than the whole send buffer.
    TooLarge,
}
