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
mod associations;
mod calls;
mod connected;
mod connection;
mod daemon;
mod delivery;
mod errors;
mod limits;
mod many;
mod metrics;
mod names;
mod notification;
mod one_to_many;
mod opening;
mod option_values;
mod options;
mod outlet;
mod parts;
mod passed;
mod peeloff;
mod ports;
mod reading;
mod settings;
mod socket;
mod socket_names;
mod table;
mod turn;

pub use daemon::Daemon;
pub use limits::Limits;
pub use options::{OPTIONS, SocketOption, Support};
pub use settings::Settings;
