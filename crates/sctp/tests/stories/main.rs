//! Stories between two endpoints, told by the packets on the wire; one file per subject.

mod pair;

mod collision;
mod failover;
mod hostile;
mod interaction;
mod receive;
mod restart;
mod send;
mod setup;
mod shutdown;
mod transfer;
