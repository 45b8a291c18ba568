//! The daemon behind SCTP sockets of unmodified programs.
//!
//! A program's descriptor is a Unix socket of type `SOCK_SEQPACKET` that is connected to the daemon. Messages are
//! records on it, see [`manypath_posix::record`]. Each call (`bind`, `connect`, `getsockopt`, ...) has a connection of
//! its own, so it does not wait behind data. The descriptor of the socket comes with the call: its possession is the
//! right to make the call, and its cookie (`SO_COOKIE`) is the name of the socket.
//!
//! A program can harm only its own sockets: a malformed record aborts the association of its socket.

mod calls;
mod connected;
mod connection;
mod daemon;
mod delivery;
mod errors;
mod many;
mod names;
mod notification;
mod opening;
mod options;
mod peeloff;
mod ports;
mod socket;
mod turn;

use std::net::IpAddr;
use std::path::PathBuf;

use crate::Builder;

pub use daemon::Daemon;
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
    /// Largest number of sockets.
    pub most_sockets: usize,
}
