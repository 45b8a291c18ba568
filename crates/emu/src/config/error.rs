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

/// What `given` should have been: the `kind` of thing `known` that it was perhaps meant to be, or some of those that
/// there are, the likest first.
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

/// Two names with less in common than this are not mistaken for each other.
const SIMILAR: f64 = 0.4;
/// As many as are proposed at most.
const NEAREST: usize = 3;
/// So many names are read at a glance.
const FEW: usize = 8;
