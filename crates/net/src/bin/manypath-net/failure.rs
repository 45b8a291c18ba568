//! Why the program could not do what it was asked to.

use std::fmt::Display;
use std::io;
use std::path::Path;

use manypath_net::Error;

/// One line for people, and a code for the shell.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
    /// The peer's SCTP answers, and its program does not: there is no end of the association to wait for.
    pub(crate) is_silence: bool,
    /// What a peer is told, where it is not to know the whole message.
    for_peer: Option<String>,
    /// The line has been printed.
    is_told: bool,
}

impl Failure {
    /// The caller can mend it.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(message.into(), INPUT)
    }

    /// The network, the peer or the system broke it.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(message.into(), BROKEN)
    }

    /// The program of the peer says nothing.
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

    /// Prints the line, once.
    pub(crate) fn tell(&mut self) {
        if !std::mem::replace(&mut self.is_told, true) {
            eprintln!("error: {}", self.message);
        }
    }

    /// A signal ended the task.
    pub(crate) fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// A file cannot be read or written as it should. A peer hears its name, and not in which folder it is.
    pub(crate) fn file(path: &Path, reason: impl Display) -> Self {
        let name = path.file_name().unwrap_or_default().display();
        let for_peer = Some(format!("{name}: {reason}"));
        Self { for_peer, ..Self::broken(format!("{}: {reason}", path.display())) }
    }

    /// What a peer is told.
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

/// The option of the command line that makes a setting.
fn option(field: &str) -> &str {
    match field {
        "addresses" => "--to",
        "congestion" => "--cc",
        "encapsulation" => "--udp",
        "local" => "--bind",
        other => other,
    }
}

/// The code after wrong input.
pub(crate) const INPUT: u8 = 2;
const BROKEN: u8 = 1;
/// The code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;
