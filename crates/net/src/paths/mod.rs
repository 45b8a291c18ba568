//! What the machine and the network tell about paths beside what SCTP finds out itself.

pub(crate) mod interfaces;
pub(crate) mod trouble;
