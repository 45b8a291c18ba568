//! The daemon of SCTP sockets, as programs see it: two daemons on the loopback interface.

#![cfg(feature = "serve")]

mod ending;
mod guest;
mod hostile;
mod limits;
mod metrics;
mod opening;
mod status;
mod transfer;
