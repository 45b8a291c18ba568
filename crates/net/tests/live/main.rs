//! Endpoints on loopback addresses: real sockets, real time.

mod bulk;
mod cancel;
mod ending;
mod handshake;
mod mistakes;
mod namespace;
mod paths;
mod raw;
mod relay;
mod stage;
mod stream;
mod system;
