//! Why there are no events, in one line.

use std::io;
use std::path::{Path, PathBuf};

use manypath_events::{NAMES, categories};
use thiserror::Error;

use crate::scenario::nearest;

/// Events that could not be written as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventsError {
    /// No event has this name, and no category.
    #[error("only: \"{name}\" is no event: {remedy}")]
    UnknownName {
        /// The name.
        name: String,
        /// What would be right.
        remedy: String,
    },
    /// The system does not let the file be written.
    #[error("events: \"{}\" cannot be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl EventsError {
    pub(super) fn unknown_name(name: &str) -> Self {
        let categories = categories();
        let known = NAMES.iter().copied().chain(categories.iter().copied());
        let remedy = match nearest(name, known) {
            Some(nearest) => format!("did you mean \"{nearest}\"?"),
            None => format!("there are \"{}\", and names in them", categories.join("\", \"")),
        };
        Self::UnknownName { name: name.to_owned(), remedy }
    }

    pub(super) fn write(file: &Path, error: &io::Error) -> Self {
        Self::Write { file: file.to_owned(), reason: error.to_string() }
    }
}
