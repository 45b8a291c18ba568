//! The daemon of SCTP sockets, as programs see it: two daemons on the loopback interface.

mod ending;
mod faults;
mod guest;
mod hostile;
mod limits;
mod many;
mod many_guest;
mod metrics;
mod opening;
mod peeloff;
mod ports;
#[path = "../../../net/tests/shared/ports.rs"]
mod shared_ports;
mod socket_options;
mod status;
mod transfer;
