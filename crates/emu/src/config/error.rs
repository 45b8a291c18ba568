//! What is wrong with a document, in one line: which field, which value, what would be right.

use std::fmt::Display;

use thiserror::Error;

/// A document that describes no emulation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// A field has a value that makes no sense.
    #[error("`{field}` is {value}, expected {expected}")]
    Value {
        /// Path of the field in the document, such as `network.links.south.rate`.
        field: String,
        /// The value found there.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// The document does not have the form of an emulation.
    #[error("`{field}`: {message}")]
    Form {
        /// Path of the field in the document.
        field: String,
        /// What is wrong, and what would be right.
        message: String,
    },
}

impl DocumentError {
    pub(super) fn value(
        field: impl Into<String>,
        value: impl Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Value { field: field.into(), value: value.to_string(), expected: expected.into() }
    }

    /// `field` names a `kind` of thing that does not exist among those `known`.
    pub(super) fn unknown<'a>(
        field: impl Into<String>,
        name: &str,
        kind: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let expected = match nearest(name, known.clone()) {
            Some(nearest) => format!("a known {kind}; the nearest is \"{nearest}\""),
            None => {
                let known: Vec<_> = known.collect();
                format!("a known {kind}: \"{}\"", known.join("\", \""))
            }
        };
        Self::value(field, format!("\"{name}\""), expected)
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

/// The name that `given` was perhaps meant to be.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|name| (strsim::normalized_damerau_levenshtein(given, name), name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(score, _)| *score >= SIMILAR).map(|(_, name)| name)
}

/// Two names with less in common than this are not mistaken for each other.
const SIMILAR: f64 = 0.4;
