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
//! [`Router`] is the network without a clock: its input is packets with their arrival times, its output is packets with
//! the times at which they are due. The driver passes it packets and the time. A hop between two links happens exactly
//! at the instant at which it is due, even if the driver runs late, so that errors do not accumulate.
//!
//! It runs on Linux only and needs root privileges.

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

pub use config::Document;
pub use emulation::{Emulation, Options};
pub use error::EmulationError;
pub use ledger::{Leftover, clean};
pub use manypath_link::DocumentError;
pub use namespace::Namespace;
pub use report::{Report, Snapshot};
pub use router::Router;
