//! One line of a registry: the name a scenario uses and what stands behind it.

/// A queue discipline or a loss model as `manypath list` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The value of `kind` in a scenario document.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
}
