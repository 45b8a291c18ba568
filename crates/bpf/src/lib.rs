//! Coupled congestion control for the kernel's own Multipath TCP.
//!
//! The algorithms are programs of the kernel (`bpf/`): the same formulas as in `manypath-cc`, in integers. This crate
//! loads them ([`Loaded`]), looks after them ([`inventory`]) and reads what they know of their connections
//! ([`Connection`]). The command `manypath-kernel` is its face.

pub use connection::{Connection, Slot};
pub use error::Error;
pub use group::Group;
pub use loader::Loaded;
pub use probing::Probing;
pub use registry::{ALGORITHMS, Algorithm, Object};

pub mod defaults;
pub mod inventory;
pub mod machine;
pub mod testbed;

mod connection;
mod error;
mod group;
mod holders;
mod loader;
mod messages;
mod probing;
mod proportion;
mod registry;
