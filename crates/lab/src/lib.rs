//! From a scenario document to numbers.
//!
//! ```text
//!   Scenario ──▶ Laboratory ──▶ warm-up ──▶ measure ──▶ check ──▶ Outcome
//!   document     a sim::World                           nothing lost
//! ```
//!
//! [`Scenario::parse`] reads and checks the document, and [`run()`] runs it once. Equal scenario, seed and replication
//! give equal outcomes, bit by bit.

mod app;
mod build;
mod capture;
mod changes;
mod conservation;
mod counters;
mod course;
mod endpoint;
mod error;
mod events;
mod host;
mod ideal;
mod job;
mod measure;
mod observe;
mod outcome;
mod packet;
mod payload;
mod reading;
mod recorders;
mod run;
pub mod scenario;
mod series;
mod slices;
mod states;

pub use app::Violation;
pub use build::sctp_config;
pub use capture::{CaptureConfig, CaptureError};
pub use changes::{ArrivalColumns, Changes};
pub use counters::{Counts, Meanings, flow_counters, path_counters};
pub use error::{Cause, RunError};
pub use events::{EventsConfig, EventsError, events_schema};
pub use ideal::{Ideal, IdealPath};
pub use job::Job;
pub use manypath_core::ByLimit;
pub use manypath_link::DocumentError;
pub use manypath_link::loss::kinds as loss_models;
pub use manypath_link::queue::kinds as queues;
pub use manypath_tcp::Scheduler;
pub use outcome::{
    FlowOutcome, HeadOfLine, Latency, LinkOutcome, Outcome, PathOutcome, ReorderBuffer,
};
pub use run::{Recorded, Watch, run, run_unless};
pub use scenario::Scenario;
pub use series::{FlowColumns, LinkColumns, PathColumns, Series, StreamColumns};
pub use states::StateColumns;

/// Identifies the sources that the engine was built from, so that results of different versions are not mixed.
#[must_use]
pub const fn engine_version() -> &'static str {
    env!("MANYPATH_ENGINE_VERSION")
}
