//! Documents in JSON, and their errors in one line: field, value, and the valid alternative.

use std::fmt::{self, Display};

use manypath_core::remedy;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ConfigError;
use crate::keys::OnceEach;

/// A document with a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// A field has an invalid value. Its path begins at the document, such as `network.links.south.rate`.
    Value(ConfigError),
    /// The document has the wrong structure.
    Form {
        /// Path of the field in the document.
        field: String,
        /// The mistake, and the valid alternative.
        message: String,
    },
}

impl DocumentError {
    /// `field` is `value` instead of `expected`.
    pub fn value(
        field: impl Into<String>,
        value: impl Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Value(ConfigError::new(field, &value, expected))
    }

    /// `field` has an unknown name of a `kind`; `known` are the known names.
    pub fn unknown<'a>(
        field: impl Into<String>,
        name: &str,
        kind: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let expected = format!("an existing {kind}; {}", remedy(name, known));
        Self::value(field, format!("\"{name}\""), expected)
    }

    /// The mistake that the parser found in `field`.
    fn form(field: String, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let message = if error.is_syntax() || error.is_eof() {
            text
        } else {
            let problem = text.split(" at line ").next().unwrap_or(&text);
            suggestion(problem).unwrap_or_else(|| in_words(problem))
        };
        Self::Form { field, message }
    }
}

impl Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(error) => error.fmt(f),
            Self::Form { field, message } => write!(f, "`{field}`: {message}"),
        }
    }
}

impl std::error::Error for DocumentError {}

/// Reads a document.
///
/// # Errors
/// The first mistake.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, DocumentError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let document = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| DocumentError::form(located("", error.path()), error.inner()))?;
    let whole = |error| DocumentError::form(WHOLE.to_owned(), &error);
    deserializer.end().map_err(whole)?;
    Ok(document)
}

/// Refuses a document with an object that has a key twice.
///
/// # Errors
/// The first mistake.
pub fn check_keys(json: &str) -> Result<(), DocumentError> {
    read::<OnceEach>(json).map(drop)
}

/// Reads a part of a document. `place` is its path, which is empty for the whole document.
///
/// # Errors
/// The first mistake.
pub fn read_part<T: DeserializeOwned>(place: &str, part: Value) -> Result<T, DocumentError> {
    serde_path_to_error::deserialize(part)
        .map_err(|error| DocumentError::form(located(place, error.path()), error.inner()))
}

/// The path of a field in the document, if `path` is its path in the part at `place`.
fn located(place: &str, path: &serde_path_to_error::Path) -> String {
    // A question mark is a part that the parser has not reached
    let path = path.to_string();
    match (place, path.trim_end_matches('?').trim_end_matches('.')) {
        ("", "") => WHOLE.to_owned(),
        (place, "") => place.to_owned(),
        ("", path) => path.to_owned(),
        (place, path) => format!("{place}.{path}"),
    }
}

/// The name of a whole document in errors.
const WHOLE: &str = "document";

/// The problem with a hint instead of serde's list of names.
fn suggestion(problem: &str) -> Option<String> {
    let (problem, list) =
        problem.split_once(", expected ").filter(|_| problem.starts_with("unknown "))?;
    let given = problem.split('`').nth(1)?;
    Some(format!("{problem}: {}", remedy(given, list.split('`').skip(1).step_by(2))))
}

/// The problem with the types of numbers in words.
fn in_words(problem: &str) -> String {
    match problem.rsplit_once(", expected ") {
        Some((problem, "u64" | "u32" | "u16")) => {
            format!("{problem}, expected a whole number of bytes, bit/s, nanoseconds, or pieces")
        }
        _ => problem.to_owned(),
    }
}
