//! TCP as a state machine without a clock or a socket. RFC 9293
//!
//! The input of an [`Endpoint`] is segments and the time, its output is segments and events: see
//! [`manypath_core::SansIo`] for the interface. The modules are: `connection` (the byte stream of the application and
//! one congestion control), `subflow` (one pair of addresses: handshake, acknowledgements, timers, close), `send` and
//! `receive` (the two directions of both), `mptcp` (the state that the subflows of one connection share), `wire`
//! (segments as bytes). Plain TCP is a connection with one subflow and without shared state.

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

pub use config::{Config, Multipath, Recovery};
pub use endpoint::Endpoint;
pub use event::{CloseReason, ConnectionId, Event, WriteError};
pub use mptcp::{Dss, MultipathOption, Scheduler};
pub use segment::{Flags, Options, SackBlock, SackBlocks, Segment};
pub use stats::{PathStats, Stats};
pub use wire::Handshakes;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
