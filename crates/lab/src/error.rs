//! Why a run has no results.

use manypath_link::DocumentError;
use thiserror::Error;

use crate::app;
use crate::capture::CaptureError;
use crate::events::EventsError;
use crate::job::Job;
use crate::slices::Stopped;

/// A run without results: the simulator detected an error of its own, a file cannot be written, or the caller stopped
/// the run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("seed {}, replication {}: {cause}", job.seed, job.replication)]
pub struct RunError {
    /// Seed and number of the run.
    pub job: Job,
    /// What happened.
    pub cause: Cause,
}

/// Why a run has no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The totals of the simulator do not balance.
    #[error("{0}")]
    Packets(manypath_sim::Violation),
    /// A message was not delivered as it was sent.
    #[error("flow {flow}: {violation}")]
    Messages {
        /// Name of the flow.
        flow: String,
        /// What happened.
        violation: app::Violation,
    },
    /// The capture could not be written.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The events could not be written.
    #[error(transparent)]
    Events(#[from] EventsError),
    /// The series does not fit into memory.
    #[error(transparent)]
    Memory(#[from] DocumentError),
    /// The caller stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// The run panicked.
    #[error("the run panicked: {0}")]
    Panic(String),
}

impl From<Stopped> for Cause {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}
