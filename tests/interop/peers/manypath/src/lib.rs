//! What the programs over our own stack share.

pub mod settings;
