//! Stories between two endpoints as segments on the wire; one file per subject.

mod random;
mod stage;

mod any_faults;
mod close;
mod delayed_acks;
mod hostile;
mod idle;
mod limited_transmit;
mod loss;
mod loss_without_sack;
mod mptcp_any_faults;
mod mptcp_blackout;
mod mptcp_leave;
mod mptcp_subflows;
mod mptcp_transfer;
mod mptcp_window;
mod reset;
mod setup;
mod small_segments;
mod timeout;
mod transfer;
mod waiting;
mod window;
