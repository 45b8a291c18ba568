//! Why an emulation cannot run, in one line.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An emulation that cannot be set up or had to end.
#[derive(Debug, Error)]
pub enum EmulationError {
    /// Somebody without the rights.
    #[error("no rights to make and remove namespaces and interfaces: run it as root, with sudo")]
    Rights,
    /// An emulation of this name runs.
    #[error(
        "`name` is \"{name}\", and process {process} emulates that already, expected another name"
    )]
    Running {
        /// The name.
        name: String,
        /// Who runs it.
        process: String,
    },
    /// There is such a namespace, and it is not ours.
    #[error(
        "namespace \"{name}\" exists and is of somebody else, expected another `name`, or `left` or `right` naming it"
    )]
    Taken {
        /// The namespace.
        name: String,
    },
    /// A link that is to be captured is not there.
    #[error("`link` is \"{name}\", expected {expected}")]
    UnknownLink {
        /// The name.
        name: String,
        /// What would be right.
        expected: String,
    },
    /// A capture cannot be written to its file.
    #[error("`pcapng` is {}, which cannot be written: {error}", .file.display())]
    Capture {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The kernel does not take a setting.
    #[error("setting {name} is \"{value}\", and the kernel says: {error}")]
    Setting {
        /// The setting.
        name: String,
        /// The value.
        value: String,
        /// What the system says.
        error: io::Error,
    },
    /// A program of the system said no.
    #[error("{command}: {said}")]
    Command {
        /// What was run.
        command: String,
        /// What it said.
        said: String,
    },
    /// The system said no.
    #[error("{what}: {error}")]
    System {
        /// What was to be done, and to what.
        what: String,
        /// What the system says.
        error: io::Error,
    },
}

impl EmulationError {
    /// Whether the user can correct the cause, because it is in the input.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Command { .. } | Self::System { .. })
    }

    /// For `map_err`: the system did not let `what` be done.
    pub(crate) fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        |error| Self::System { what: what.into(), error: error.into() }
    }
}
