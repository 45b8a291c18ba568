//! Errors of documents in one line: field, value, and the valid alternative.

use std::fmt::Display;

use manypath_link::ConfigError;
use thiserror::Error;

/// A document that does not describe an emulation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// A field has an invalid value. Its path begins at the document, such as `network.links.south.rate`.
    #[error(transparent)]
    Value(ConfigError),
    /// The document does not have the structure of an emulation.
    #[error("`{field}`: {message}")]
    Form {
        /// Path of the field in the document.
        field: String,
        /// The mistake, and the valid alternative.
        message: String,
    },
}

impl DocumentError {
    pub(super) fn value(
        field: impl Into<String>,
        value: impl Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Value(ConfigError::new(field, &value, expected))
    }

    /// `field` has an unknown name of a `kind`; `known` are the known names.
    pub(super) fn unknown<'a>(
        field: impl Into<String>,
        name: &str,
        kind: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        Self::value(field, format!("\"{name}\""), one_of(name, kind, known))
    }

    pub(super) fn from_serde(path: &str, error: &serde_json::Error) -> Self {
        let field = if path == "." { "emulation".to_owned() } else { path.to_owned() };
        let text = error.to_string();
        let message = if error.is_syntax() || error.is_eof() {
            text
        } else {
            text.split(" at line ").next().unwrap_or_default().to_owned()
        };
        Self::Form { field, message }
    }
}

/// The valid alternative to `given`: the most similar `known` names of this `kind`, most similar first, or all of them
/// if there are few.
pub(crate) fn one_of<'a>(given: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    let similar = manypath_program::similar(given, known.iter().copied());
    let quoted = |names: &[&str]| {
        names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
    };
    match similar.len().min(NEAREST) {
        0 if known.len() > FEW => {
            format!("a known {kind}: {} and {} more", quoted(&known[..FEW]), known.len() - FEW)
        }
        0 => format!("a known {kind}: {}", quoted(&known)),
        1 => format!("a known {kind}; the nearest is {}", quoted(&similar[..1])),
        some => format!("a known {kind}; the nearest are {}", quoted(&similar[..some])),
    }
}

/// Largest number of suggestions.
const NEAREST: usize = 3;
/// Up to this number, all known names are listed.
const FEW: usize = 8;
