//! One file per command.

pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod unload;
