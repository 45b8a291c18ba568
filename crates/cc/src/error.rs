//! Errors in the names of algorithms, of their parameters, and of profiles.

use std::fmt::{self, Display};

use manypath_core::remedy;

/// An error in the specification of an algorithm, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlgorithmError {
    /// There is no such algorithm, or it has no such parameter.
    Unknown(UnknownName),
    /// A parameter has an invalid value.
    Value {
        /// The parameter with its algorithm, `bmc:gain`; the algorithm alone if no parameter can be parsed.
        field: String,
        /// The value, in quotation marks.
        value: String,
        /// The valid values.
        expected: String,
    },
}

impl AlgorithmError {
    pub(crate) fn value(field: impl Into<String>, value: String, expected: impl Display) -> Self {
        Self::Value { field: field.into(), value, expected: expected.to_string() }
    }

    pub(crate) fn unknown_key(
        algorithm: &'static str,
        key: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self::Unknown(UnknownName::new(format!("parameter of {algorithm}"), key, known))
    }
}

impl Display for AlgorithmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Value { field, value, expected } => {
                write!(f, "{field} is {value}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for AlgorithmError {}

/// A name that is not in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The kind of name, such as `congestion control`.
    pub kind: String,
    /// The name that was given.
    pub name: String,
    /// All valid names.
    pub known: Vec<&'static str>,
}

impl UnknownName {
    pub(crate) fn new(
        kind: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self { kind: kind.into(), name: name.to_owned(), known: known.into_iter().collect() }
    }

    /// The hint for the user: the most similar valid name, and all valid names if they are few.
    #[must_use]
    pub fn remedy(&self) -> String {
        remedy(&self.name, self.known.iter().copied())
    }
}

impl Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} {:?}: {}", self.kind, self.name, self.remedy())
    }
}

impl std::error::Error for UnknownName {}
