//! Endpoints on loopback addresses: real sockets, real time.

mod bulk;
mod cancel;
mod ending;
mod handshake;
mod mistakes;
mod paths;
#[cfg(feature = "perf")]
mod perf;
mod raw;
mod relay;
mod stage;
mod watching;
