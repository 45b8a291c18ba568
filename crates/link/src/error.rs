//! Errors for invalid values in a configuration.

use std::fmt;

use manypath_core::{Rate, Span};

/// An invalid value, as one line: the field, its value, and the valid values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the field inside the link, such as `queue.min`.
    pub field: String,
    /// The value found there.
    pub value: String,
    /// The valid values.
    pub expected: String,
}

impl ConfigError {
    /// An error: `field` has `value`, but should be `expected`.
    pub fn new(
        field: impl Into<String>,
        value: &impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self { field: field.into(), value: value.to_string(), expected: expected.into() }
    }

    /// The same error with the field's path prefixed by `place`.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        Self { field: format!("{place}.{}", self.field), ..self }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}, expected {}", self.field, self.value, self.expected)
    }
}

impl std::error::Error for ConfigError {}

/// Fails if `rate` is zero.
pub(crate) fn positive_rate(field: &str, rate: Rate) -> Result<(), ConfigError> {
    match rate.bits_per_second() {
        0 => Err(ConfigError::new(field, &"0 bit/s", "more than 0 bit/s")),
        _ => Ok(()),
    }
}

/// Fails if `span` is zero.
pub(crate) fn positive_span(field: &str, span: Span) -> Result<(), ConfigError> {
    match span {
        Span::ZERO => Err(ConfigError::new(field, &"0 ns", "more than 0 ns")),
        _ => Ok(()),
    }
}

/// Fails unless `p` is between 0 and 1, both included.
pub(crate) fn probability(field: &str, p: f64) -> Result<(), ConfigError> {
    if (0.0..=1.0).contains(&p) {
        Ok(())
    } else {
        Err(ConfigError::new(field, &p, "a probability from 0 to 1"))
    }
}

/// Fails if `value` is 0.
pub(crate) fn positive(field: &str, value: u64) -> Result<(), ConfigError> {
    if value > 0 { Ok(()) } else { Err(ConfigError::new(field, &value, "at least 1")) }
}
