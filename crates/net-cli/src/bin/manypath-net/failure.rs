//! Failures of the program.

use std::fmt::Display;
use std::io;
use std::path::Path;

use manypath_net::Error;
use manypath_program::tell;

/// A failure: a message of one line, and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
    /// The peer's SCTP answers, but its program does not: the association must be ended by this side.
    pub(crate) is_silence: bool,
    /// The message for the peer, if it must not see the whole message.
    for_peer: Option<String>,
    /// The line has been printed.
    is_told: bool,
}

impl Failure {
    /// The input of the caller is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(message.into(), INPUT)
    }

    /// The network, the peer or the system failed.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(message.into(), BROKEN)
    }

    /// The program of the peer is silent.
    pub(crate) fn silence(message: impl Into<String>) -> Self {
        Self { is_silence: true, ..Self::broken(message) }
    }

    /// Ctrl-C or another signal.
    pub(crate) fn interrupted() -> Self {
        Self::new("interrupted".to_owned(), INTERRUPTED)
    }

    fn new(message: String, code: u8) -> Self {
        Self { message, code, is_silence: false, for_peer: None, is_told: false }
    }

    /// The same failure with another message.
    pub(crate) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// Prints the line, once.
    pub(crate) fn tell(&mut self) {
        if !std::mem::replace(&mut self.is_told, true) {
            tell(&format!("error: {}", self.message));
        }
    }

    /// Whether a signal ended the task.
    pub(crate) fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// A file cannot be read or written. The message for the peer has its name, but not its folder.
    pub(crate) fn file(path: &Path, reason: impl Display) -> Self {
        let name = path.file_name().unwrap_or_default().display();
        let for_peer = Some(format!("{name}: {reason}"));
        Self { for_peer, ..Self::broken(format!("{}: {reason}", path.display())) }
    }

    /// The message for the peer.
    pub(crate) fn for_peer(&self) -> &str {
        self.for_peer.as_deref().unwrap_or(&self.message)
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
        Self::new(message, code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::broken(error.to_string())
    }
}

/// The command line option of a setting.
fn option(field: &str) -> &str {
    match field {
        "addresses" => "--to",
        "congestion" => "--cc",
        "encapsulation" => "--udp",
        "local" => "--bind",
        other => other,
    }
}

/// Exit code after wrong input.
pub(crate) const INPUT: u8 = 2;
const BROKEN: u8 = 1;
/// Exit code after Ctrl-C, as in shells.
const INTERRUPTED: u8 = 130;
