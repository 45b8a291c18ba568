//! Simulated time: hosts, links and routes under one deterministic event loop.
//!
//! A [`World`] is generic over the protocol of its hosts ([`SansIo`](manypath_core::SansIo)) and does not depend on a
//! concrete one. A world has no global state, so worlds can run in parallel threads.
//!
//! * Every component, a link or a host, has at most one pending event in the [`Schedule`]; events of one instant
//!   happen in the order of the components' numbers.
//! * A link whose departures follow from its arrivals has few events or none: the arrival of a packet is computed when it
//!   enters ([`ComputedLink`](manypath_link::ComputedLink)). Results are those of a world in which every step is an
//!   event ([`World::event_by_event`]).
//! * Packets are stored in a [`Slab`] and referenced by [`Handle`]s. They are recycled, so a warm world does not
//!   allocate.
//! * A route is a list of links. A packet carries its position on the route.
//! * An [`Observer`] is called for events of packets and hosts. A world without an observer has almost no cost for
//!   this.
//! * [`World::digest`] is a hash of all events on the links, and [`World::check_conservation`] checks that the
//!   simulator lost no packet.

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
