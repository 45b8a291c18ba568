//! Coupled congestion control for the kernel's own Multipath TCP.
//!
//! The algorithms are programs for the kernel (`bpf/`) with the same formulas as in `manypath-cc`, in integers. This
//! crate loads them ([`Loaded`]), lists them ([`inventory`]) and reads the state of their connections ([`Connection`]).
//! The command `manypath-kernel` is its user interface.

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
mod registry;
