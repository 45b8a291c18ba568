//! The program `manypath-net`: files and measurements between two processes on loopback addresses.

#![cfg(feature = "program")]

mod daemon;
mod events;
#[path = "../shared/events.rs"]
mod events_file;
mod files;
mod listen;
mod mistakes;
mod nodelay;
mod peer;
mod perf;
mod process;
mod silence;
mod sockets;
