//! The system calls of SCTP sockets in the process of the program.
//!
//! The descriptor is a Unix socket that is connected to the daemon. So the kernel implements `poll`, `dup`, `fork`,
//! `exec` and `close`, and this module keeps no state per descriptor. A descriptor is recognised by the name of its
//! peer, which is that of a daemon's socket.
//!
//! - A new socket sends its own descriptor with [`Request::Open`](crate::record::Request::Open). The daemon recognises
//!   it later by its cookie (`SO_COOKIE`).
//! - A call other than sending and receiving uses a connection of its own, so that it does not wait for data that were
//!   sent before.
//! - A message is one record. The kernel's peek offset (`SO_PEEK_OFF`) remembers how much of it was read.
//!
//! Functions return `Err(errno)`. They use raw system calls, because the functions of libc may be replaced by those of
//! a library that calls this module. Limits: two processes that read from one association at the same time may get
//! parts of each other's messages; a signal handler that reads while its thread is reading gets `EAGAIN`.

mod accept;
mod ancillary;
mod connection;
mod control;
mod daemons;
mod descriptor;
mod file;
mod held;
mod lock;
mod many;
mod mark;
mod name;
mod option;
mod receive;
mod refusal;
mod returned;
mod send;
mod system;

pub use accept::accept;
pub use connection::{connect, listen, readable_bytes, shutdown, socket};
pub use daemons::{attach, detach};
pub use descriptor::{is_ours, received_descriptors, start};
pub use file::send_file;
pub use name::{bind, peer_name, socket_name};
pub use option::{get_option, is_of_descriptor, set_option};
pub use receive::{receive, receive_from};
pub use returned::{returned, returned_bytes};
pub use send::send;
pub use system::{MOST_PARTS, check_mapped, errno, message, parts, set_errno};
