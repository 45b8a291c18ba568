//! Errors of documents in one line: field, value, and the valid alternative.

use std::fmt::Display;

use thiserror::Error;

/// A document that does not describe an emulation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// A field has an invalid value.
    #[error("`{field}` is {value}, expected {expected}")]
    Value {
        /// Path of the field in the document, such as `network.links.south.rate`.
        field: String,
        /// The value found there.
        value: String,
        /// The valid alternative.
        expected: String,
    },
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
        Self::Value { field: field.into(), value: value.to_string(), expected: expected.into() }
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
    let mut scored: Vec<_> =
        known.map(|name| (strsim::normalized_damerau_levenshtein(given, name), name)).collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let quoted = |names: &[(f64, &str)]| {
        let names: Vec<_> = names.iter().map(|(_, name)| format!("\"{name}\"")).collect();
        names.join(", ")
    };
    let similar = scored.iter().take_while(|(score, _)| *score >= SIMILAR).count();
    match similar.min(NEAREST) {
        0 if scored.len() > FEW => {
            let more = scored.len() - FEW;
            format!("a known {kind}: {} and {more} more", quoted(&scored[..FEW]))
        }
        0 => format!("a known {kind}: {}", quoted(&scored)),
        1 => format!("a known {kind}; the nearest is {}", quoted(&scored[..1])),
        some => format!("a known {kind}; the nearest are {}", quoted(&scored[..some])),
    }
}

/// Smallest similarity of two names for a suggestion.
const SIMILAR: f64 = 0.4;
/// Largest number of suggestions.
const NEAREST: usize = 3;
/// Up to this number, all known names are listed.
const FEW: usize = 8;
