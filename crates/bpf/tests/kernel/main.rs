//! The kernel's programs in use, over networks in namespaces.

mod command;
mod needs;
mod patience;
mod proportion;
mod robustness;
mod transfer;
