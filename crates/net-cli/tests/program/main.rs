//! The program `manypath-net`: files and measurements between two processes on loopback addresses.

mod daemon;
mod events;
#[path = "../../../net/tests/shared/events.rs"]
mod events_file;
mod exchange;
mod files;
mod listen;
mod mistakes;
mod nodelay;
mod peer;
mod perf;
#[path = "../../../net/tests/shared/ports.rs"]
mod ports;
mod process;
mod silence;
mod sockets;
