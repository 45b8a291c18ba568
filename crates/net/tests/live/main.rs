//! Endpoints on loopback addresses: real sockets, real time.

mod bulk;
mod cancel;
mod ending;
mod events;
#[path = "../shared/events.rs"]
mod events_file;
mod handshake;
mod host;
mod immediate_sack;
mod interfaces;
mod mistakes;
mod mtu;
mod namespace;
mod nodelay;
mod pacing;
mod paths;
#[path = "../shared/ports.rs"]
mod ports;
mod raw;
mod relay;
mod stage;
mod stall;
mod stream;
mod system;
mod watching;
