//! The links of `manypath-link`, driven by the clock: real packets of real hosts over emulated paths.
//!
//! ```text
//!   namespace NAME-left                 this process                 namespace NAME-right
//!  ┌───────────────────┐   ┌─────────────────────────────────────┐   ┌───────────────────┐
//!  │ host ── TUN south ╪═══╪═▶ links of the path, one direction ══╪═══╪▶ south TUN ── host │
//!  │      ── TUN north ╪◀══╪══ each a `Pipe`; paths share them ◀═╪═══╪═ north TUN ──      │
//!  └───────────────────┘   └─────────────────────────────────────┘   └───────────────────┘
//! ```
//!
//! [`Router`] is the network without a clock: packets go in with the instant at which they came, and come out with the
//! instant at which they are due. The driver brings it packets and time. A hop between two links happens at the very
//! instant at which it is due, however late the driver looks, so that nothing drifts.
//!
//! Linux only; running it needs the rights of root.

mod buffers;
mod capture;
mod clock;
pub mod config;
mod driver;
pub mod emulation;
mod error;
mod flow;
mod hosts;
mod lateness;
mod ledger;
mod namespace;
mod plan;
mod realtime;
pub mod report;
pub mod router;
mod system;
pub mod traffic;
mod tun;

pub use config::{Document, DocumentError};
pub use emulation::{Emulation, Options};
pub use error::EmulationError;
pub use ledger::{Leftover, clean};
pub use namespace::Namespace;
pub use report::{Report, Snapshot};
pub use router::Router;
