//! Simulated time: hosts, links and routes under one deterministic event loop.
//!
//! A [`World`] is generic over the protocol of its hosts ([`SansIo`](manypath_core::SansIo)) and knows none. It is a
//! plain value without globals: worlds run side by side on as many threads as there are cores.
//!
//! * Every component, a link or a host, has at most one pending event in the [`Schedule`]; events of one instant
//!   happen in the order in which they were scheduled.
//! * Packets live in a [`Slab`] and travel as [`Handle`]s; they are recycled, so that a warm world never allocates.
//! * A route is a list of links; a packet carries its place on it.
//! * An [`Observer`] sees what happens to packets and hosts; a world without one pays next to nothing.
//! * [`World::digest`] names everything that happened on the links, and [`World::check_conservation`] proves that no
//!   packet got lost in the machinery.

pub mod conservation;
mod digest;
mod host;
mod observer;
mod probe;
mod routes;
mod schedule;
mod slab;
mod world;

pub use conservation::{Totals, Violation};
pub use digest::{Digest, Fate};
pub use host::{HostCounters, HostId};
pub use observer::{Observer, PacketEvent, Sight};
pub use probe::Probe;
pub use routes::LinkId;
pub use schedule::{Component, Schedule};
pub use slab::{Handle, Slab};
pub use world::World;
