//! Programs of the kernel at work, over networks in namespaces of their own.

mod command;
mod needs;
mod patience;
mod proportion;
mod robustness;
mod transfer;
