//! The daemon of SCTP sockets for unmodified programs.
//!
//! A program's descriptor is a Unix socket of type `SOCK_SEQPACKET` that is connected to the daemon. Messages are
//! records on it, see [`manypath_posix::record`]. Each call (`bind`, `connect`, `getsockopt`, ...) has a connection of
//! its own, so it does not wait for data that was sent before. The descriptor of the socket comes with the call: its
//! possession is the right to make the call, and its cookie (`SO_COOKIE`) is the name of the socket.
//!
//! A program can harm only its own sockets: a malformed record aborts the association of its socket. A user has only its
//! own share of sockets and calls.

mod access;
mod calls;
mod connected;
mod connection;
mod daemon;
mod delivery;
mod draining;
mod errors;
mod limits;
mod many;
mod metrics;
mod names;
mod notification;
mod opening;
mod options;
mod passed;
mod peeloff;
mod ports;
mod socket;
mod turn;

use std::net::IpAddr;
use std::path::PathBuf;

use manypath_net::Builder;

pub use daemon::Daemon;
pub use limits::Limits;
pub use options::{OPTIONS, SocketOption, Support};

/// The settings of a [`Daemon`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// Path of the Unix socket that programs connect to.
    pub path: PathBuf,
    /// The settings of all endpoints, without ports.
    pub builder: Builder,
    /// Local addresses; empty for all of the machine.
    pub local: Vec<IpAddr>,
    /// UDP port of all sockets, and of peers unless a program sets another one; `None` for raw IP.
    pub encapsulation: Option<u16>,
    /// Largest number of sockets. An association of a one-to-many socket counts like a socket.
    pub most_sockets: usize,
    /// Limits of a user and of a socket.
    pub limits: Limits,
    /// Number of the group whose programs may open sockets, too; without it only programs of the same user and of root.
    pub group: Option<u32>,
}
