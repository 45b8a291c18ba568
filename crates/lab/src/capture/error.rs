//! Errors of captures, each with a message of one line.

use std::io;
use std::path::{Path, PathBuf};

use manypath_core::remedy;
use thiserror::Error;

/// A capture that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CaptureError {
    /// No link has this name.
    #[error("links: \"{name}\" is no link: {remedy}")]
    UnknownLink {
        /// The name.
        name: String,
        /// The hint for the user.
        remedy: String,
    },
    /// The file cannot be written.
    #[error("capture: \"{}\" cannot be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        reason: String,
    },
}

impl CaptureError {
    pub(super) fn unknown_link(name: &str, known: &[String]) -> Self {
        let remedy = remedy(name, known.iter().map(String::as_str));
        Self::UnknownLink { name: name.to_owned(), remedy }
    }

    pub(super) fn write(file: &Path, error: &io::Error) -> Self {
        Self::Write { file: file.to_owned(), reason: error.to_string() }
    }
}
