//! Stories between two endpoints, told by the segments on the wire; one file per subject.

mod stage;
mod weather;

mod any_weather;
mod close;
mod delayed_acks;
mod hostile;
mod idle;
mod limited_transmit;
mod loss;
mod loss_without_sack;
mod mptcp_any_weather;
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
mod window;
