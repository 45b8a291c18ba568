//! Errors of event logs, each with a message of one line.

use std::io;
use std::path::{Path, PathBuf};

use manypath_core::remedy;
use manypath_events::{NAMES, categories};
use thiserror::Error;

/// An event log that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventsError {
    /// The name is neither an event nor a category.
    #[error("only: \"{name}\" is no event: {remedy}")]
    UnknownName {
        /// The name.
        name: String,
        /// The hint for the user.
        remedy: String,
    },
    /// The file cannot be written.
    #[error("events: \"{}\" cannot be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        reason: String,
    },
}

impl EventsError {
    pub(super) fn unknown_name(name: &str) -> Self {
        let known = categories().into_iter().chain(NAMES.iter().copied());
        Self::UnknownName { name: name.to_owned(), remedy: remedy(name, known) }
    }

    pub(super) fn write(file: &Path, error: &io::Error) -> Self {
        Self::Write { file: file.to_owned(), reason: error.to_string() }
    }
}
