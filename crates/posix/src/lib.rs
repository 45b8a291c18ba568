//! SCTP sockets for programs that use the socket API of Linux.
//!
//! A program's descriptor is a Unix socket. Its other end belongs to the daemon `manypath-net serve`, which has the
//! protocol stack. [`abi`] has the structures and constants of `<linux/sctp.h>`, [`record`] the records that the
//! program and the daemon exchange, [`guest`] the system calls in the program's process, [`queue`] the daemon's query
//! of the queue of their connection, and [`peer`] its query of the program's process.

pub mod abi;
pub mod guest;
pub mod peer;
pub mod queue;
pub mod record;
