//! SCTP sockets for programs that are written for the sockets of Linux.
//!
//! A program's descriptor is a Unix socket. Its other end belongs to the daemon `manypath-net serve`, which has the
//! protocol stack. [`abi`] has the structures and constants of `<linux/sctp.h>`, [`record`] the records that the
//! program and the daemon exchange, [`guest`] the system calls in the program's process, [`queue`] what the daemon asks the
//! kernel about their connection, [`peer`] what it asks about the program's process.

pub mod abi;
pub mod guest;
pub mod peer;
pub mod queue;
pub mod record;
