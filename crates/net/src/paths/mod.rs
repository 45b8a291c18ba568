//! Information about paths from the system and the network.

pub(crate) mod interfaces;
pub(crate) mod trouble;
