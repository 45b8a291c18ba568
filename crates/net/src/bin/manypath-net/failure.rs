//! Why the program could not do what it was asked to.

use std::io;
use std::path::Path;

use manypath_net::Error;

/// One line for people, and a code for the shell.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl Failure {
    /// The caller can mend it.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: INPUT }
    }

    /// The network, the peer or the system broke it.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: BROKEN }
    }

    /// Ctrl-C or another signal.
    pub(crate) fn interrupted() -> Self {
        Self { message: "interrupted".to_owned(), code: INTERRUPTED }
    }

    /// A signal ended the task.
    pub(crate) fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// The system refused something about a file.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::broken(format!("{}: {error}", path.display()))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = if error.is_input() { INPUT } else { BROKEN };
        let message = match &error {
            Error::Setting { field, value, expected } => {
                format!("`{}` is {value}, expected {expected}", option(field))
            }
            Error::NoRoute(_) => {
                format!("{error}: `--bind` one of the same family, ADDRESS%INTERFACE for fe80::")
            }
            error => error.to_string(),
        };
        Self { message, code }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::broken(error.to_string())
    }
}

/// The option of the command line that makes a setting.
fn option(field: &str) -> &str {
    match field {
        "congestion" => "--cc",
        "encapsulation" => "--udp",
        other => other,
    }
}

/// The code after wrong input.
pub(crate) const INPUT: u8 = 2;
const BROKEN: u8 = 1;
/// The code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;
