//! Errors of emulations, each with a message of one line.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An emulation that cannot be started or had to end.
#[derive(Debug, Error)]
pub enum EmulationError {
    /// The caller lacks the rights.
    #[error("no rights to make and remove namespaces and interfaces: run it as root, with sudo")]
    Rights,
    /// An emulation with this name is running.
    #[error(
        "`name` is \"{name}\", and process {process} emulates that already, expected another name"
    )]
    Running {
        /// The name.
        name: String,
        /// The process that runs it.
        process: String,
    },
    /// The namespace exists and was not created by an emulation.
    #[error(
        "namespace \"{name}\" exists, and no emulation made it, expected another `name`, or `left` or `right` naming it"
    )]
    Taken {
        /// The namespace.
        name: String,
    },
    /// A link to capture does not exist.
    #[error("`--link` is \"{name}\", expected an existing link; {remedy}")]
    UnknownLink {
        /// The name.
        name: String,
        /// The hint for the user.
        remedy: String,
    },
    /// A capture cannot be written to its file.
    #[error("`--pcapng` is {}, which cannot be written: {error}", .file.display())]
    Capture {
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The kernel refuses a setting.
    #[error("setting {name} is \"{value}\", and the kernel says: {error}")]
    Setting {
        /// The setting.
        name: String,
        /// The value.
        value: String,
        /// The system's error.
        error: io::Error,
    },
    /// A system program failed.
    #[error("{command}: {said}")]
    Command {
        /// The command.
        command: String,
        /// Its message.
        said: String,
    },
    /// The system refused an operation.
    #[error("{what}: {error}")]
    System {
        /// The operation and its object.
        what: String,
        /// The system's error.
        error: io::Error,
    },
}

impl EmulationError {
    /// Whether the user can correct the cause, because it is in the input.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Command { .. } | Self::System { .. })
    }

    /// Whether the cause is in the document.
    #[must_use]
    pub fn is_of_document(&self) -> bool {
        matches!(self, Self::Running { .. } | Self::Taken { .. } | Self::Setting { .. })
    }

    /// For `map_err`: the system refused `what`.
    pub(crate) fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        |error| Self::System { what: what.into(), error: error.into() }
    }
}
