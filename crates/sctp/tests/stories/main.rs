//! Stories between two endpoints, told by the packets on the wire; one file per subject.

mod pair;

mod failover;
mod hostile;
mod restart;
mod setup;
mod shutdown;
