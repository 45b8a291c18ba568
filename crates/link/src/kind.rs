//! An entry of a registry: the name in a scenario and its summary.

/// A queue discipline or a loss model as `manypath list` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The value of `kind` in a scenario document.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
}
