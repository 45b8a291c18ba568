//! The settings of the daemon.

use std::net::IpAddr;
use std::path::PathBuf;

use manypath_net::Builder;

use super::limits::Limits;

/// The settings of a [`Daemon`](crate::Daemon).
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
