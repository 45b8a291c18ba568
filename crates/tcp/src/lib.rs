//! TCP as a state machine without a clock or a socket. RFC 9293
//!
//! An [`Endpoint`] takes segments and the time, and gives segments and events: see [`manypath_core::SansIo`] for the
//! contract. Folders name the conversations: `connection` (what the application sees: a byte stream and one congestion
//! control), `subflow` (one pair of addresses: handshake, acknowledgements, timers, end), `send` and `receive` (what
//! both need for each direction), `mptcp` (what the subflows of one connection share), `wire` (segments as bytes).
//! Plain TCP is a connection with one subflow that shares nothing.

mod config;
mod connection;
mod endpoint;
mod event;
mod mptcp;
mod receive;
mod segment;
mod send;
mod stats;
mod subflow;
mod wire;

pub use config::{Config, Multipath, Recovery, Scheduler};
pub use endpoint::Endpoint;
pub use event::{CloseReason, ConnectionId, Event, WriteError};
pub use mptcp::{Dss, MultipathOption};
pub use segment::{Flags, Options, SackBlock, SackBlocks, Segment};
pub use stats::{PathStats, Stats};
pub use wire::Handshakes;
