//! What can go wrong, each in one line.

/// Why something could not be done, in one line with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The user asked for something that does not exist or makes no sense; the exit code is 2.
    #[error("{0}")]
    Usage(String),
    /// The machine did not do it; the exit code is 1.
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
