//! Failures of the program.

use std::fmt::Display;
use std::io;
use std::path::Path;

use manypath_net::Error;
use manypath_program::{INVALID, tell};

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
        Self::new(message.into(), INVALID)
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

/// The options of a command that set up an endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Its addresses.
    pub(crate) local: &'a str,
    /// Its UDP port.
    pub(crate) udp: &'a str,
    /// The Unix socket of a daemon.
    pub(crate) socket: &'a str,
}

impl Options<'_> {
    /// Those of most commands.
    const USUAL: Self = Self { local: "`--bind`", udp: "`--udp`", socket: "the socket" };

    /// The option of a setting.
    fn of(&self, field: &str) -> String {
        match field {
            "addresses" => "`--to`".to_owned(),
            "congestion" => "`--cc`".to_owned(),
            "encapsulation" => self.udp.to_owned(),
            "local" => self.local.to_owned(),
            "socket" => self.socket.to_owned(),
            other => format!("`{other}`"),
        }
    }
}

impl Failure {
    /// The failure of an endpoint, which begins with the option that is wrong.
    pub(crate) fn of(error: &Error, options: &Options<'_>) -> Self {
        let code = if error.is_input() { INVALID } else { BROKEN };
        let Options { local, udp, .. } = options;
        let message = match error {
            Error::Setting { field, value, expected } => {
                format!("{} is {value}, expected {expected}", options.of(field))
            }
            Error::AddressInUse(at) => {
                format!("{udp} is {}, expected a free port: {error}", at.port())
            }
            Error::PortInUse(port) => format!("`--port` is {port}, expected a free port: {error}"),
            Error::NotLocal(address) => {
                format!("{local} is {address}, expected an address of this machine")
            }
            Error::NotUnicast(address) => {
                format!("{local} is {address}, expected a unicast address of this machine")
            }
            Error::NoInterface(name) => {
                format!("{local} is on interface {name:?}, expected an interface of this machine")
            }
            Error::NoRoute(_) => {
                format!("{error}: {local} one of the same family, ADDRESS%INTERFACE for fe80::")
            }
            error => error.to_string(),
        };
        Self::new(message, code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::of(&error, &Options::USUAL)
    }
}

impl From<manypath_program::Failure> for Failure {
    fn from(failure: manypath_program::Failure) -> Self {
        Self::new(failure.message, failure.code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::broken(error.to_string())
    }
}

const BROKEN: u8 = 1;
/// Exit code after Ctrl-C, as in shells.
const INTERRUPTED: u8 = 130;
