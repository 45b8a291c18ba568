//! Failures of programs.

use std::fmt;
use std::process::ExitCode;

use crate::line::tell;

/// A failure: a message of one line, and an exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message, without the name of the program.
    pub message: String,
    /// The exit code.
    pub code: u8,
}

impl Failure {
    /// The input of the user is wrong.
    #[must_use]
    pub fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: INVALID }
    }

    /// The network, a peer or the system failed.
    #[must_use]
    pub fn broken(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// Prints the message after `prefix`; returns the exit code.
    #[must_use]
    pub fn end(&self, prefix: &str) -> ExitCode {
        tell(&format!("{prefix}: {self}"));
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The exit code after invalid input.
pub const INVALID: u8 = 2;
