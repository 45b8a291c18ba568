//! Errors of scenarios in one line: field, value, and the valid alternative.

use std::fmt::Display;

use manypath_core::nearest;
use manypath_link::ConfigError;
use thiserror::Error;

/// A scenario that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScenarioError {
    /// A field has an invalid value. Its path begins at the document, such as `flows.cmt.cc`.
    #[error(transparent)]
    Value(ConfigError),
    /// The document does not have the structure of a scenario.
    #[error("`{field}`: {message}")]
    Form {
        /// Path of the field in the document.
        field: String,
        /// The mistake, and the valid alternative.
        message: String,
    },
}

impl ScenarioError {
    /// `field` is `value` instead of `expected`.
    pub(crate) fn value(
        field: impl Into<String>,
        value: impl Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Value(ConfigError::new(field, &value, expected))
    }

    /// `field` names an unknown `kind`; `known` are the known names.
    pub(super) fn unknown(
        field: impl Into<String>,
        name: &str,
        kind: &str,
        known: &[&str],
    ) -> Self {
        let expected = match nearest(name, known.iter().copied()) {
            Some(nearest) => format!("a known {kind}; the nearest is \"{nearest}\""),
            None if known.is_empty() => format!("a known {kind}, but there is none"),
            None => format!("a known {kind}: \"{}\"", known.join("\", \"")),
        };
        Self::value(field, format!("\"{name}\""), expected)
    }

    /// An error of the parser at `path`.
    pub(super) fn from_serde(path: &str, error: &serde_json::Error) -> Self {
        let field = if path == "." { "scenario".to_owned() } else { path.to_owned() };
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or(&text);
        let message = if error.is_syntax() || error.is_eof() {
            text
        } else if let Some((problem, nearest)) = suggestion(problem) {
            format!("{problem}; did you mean `{nearest}`?")
        } else {
            in_words(problem)
        };
        Self::Form { field, message }
    }
}

/// The problem without serde's list of names, and the most similar of these names.
fn suggestion(problem: &str) -> Option<(&str, &str)> {
    let (problem, list) =
        problem.split_once(", expected ").filter(|_| problem.starts_with("unknown "))?;
    let given = problem.split('`').nth(1)?;
    let names = list.split('`').skip(1).step_by(2);
    nearest(given, names).map(|nearest| (problem, nearest))
}

/// The types of numbers in words.
fn in_words(problem: &str) -> String {
    match problem.rsplit_once(", expected ") {
        Some((problem, "u64" | "u32" | "u16")) => {
            format!("{problem}, expected a whole number of bytes, bit/s, nanoseconds, or pieces")
        }
        _ => problem.to_owned(),
    }
}
