//! Errors, each in one line.

/// The reason of a failure, in one line, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An invalid request of the user; the exit code is 2.
    #[error("{0}")]
    Usage(String),
    /// A failure of the machine; the exit code is 1.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// A mistake of the user.
    pub fn usage(line: impl Into<String>) -> Self {
        Self::Usage(line.into())
    }

    /// A refusal of the machine.
    pub fn failed(line: impl Into<String>) -> Self {
        Self::Failed(line.into())
    }

    /// The exit code of a command that ends with it.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}
