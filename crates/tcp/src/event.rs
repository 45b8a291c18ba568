//! What an endpoint tells its application.

use manypath_core::PathId;

/// Names one connection of an endpoint.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ConnectionId(pub u32);

/// Something that the application may want to know.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Event {
    /// The connection stands; data may be sent.
    Connected(ConnectionId),
    /// Bytes wait to be read.
    Readable(ConnectionId),
    /// The send buffer has room again.
    Writable(ConnectionId),
    /// The peer sends no more: what waits to be read is the last of it. The own direction stays open.
    PeerFinished(ConnectionId),
    /// A path works.
    PathUp {
        /// The connection.
        connection: ConnectionId,
        /// Its path.
        path: PathId,
    },
    /// A path is gone.
    PathDown {
        /// The connection.
        connection: ConnectionId,
        /// Its path.
        path: PathId,
    },
    /// The connection is gone.
    Closed {
        /// The connection.
        connection: ConnectionId,
        /// Why.
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
    /// The peer does not answer any more, or never did.
    Unreachable,
    /// The peer broke the protocol.
    ProtocolViolation,
}

/// Why bytes were not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WriteError {
    /// There is no such connection, or it is closing.
    NotConnected,
    /// The send buffer has no room; a `Writable` event will follow.
    BufferFull,
    /// The bytes are more than the whole send buffer.
    TooLarge,
}
