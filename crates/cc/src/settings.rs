//! Parameters in the names of algorithms: `bmc:gain=0.5,interval=10 s`.

use std::fmt::Display;
use std::ops::RangeInclusive;

use manypath_core::Span;

use crate::AlgorithmError;

/// A parameter of an algorithm, set in the algorithm's name as `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The text before the equals sign.
    pub key: &'static str,
    /// The default value, in the form in which a name contains it.
    pub default: &'static str,
    /// A description in one line.
    pub summary: &'static str,
}

/// The values of all parameters of one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Settings<'a> {
    algorithm: &'static str,
    values: Vec<(&'static str, &'a str)>,
}

impl<'a> Settings<'a> {
    /// The defaults.
    pub(crate) fn new(algorithm: &'static str, parameters: &[Parameter]) -> Self {
        let values = parameters.iter().map(|it| (it.key, it.default)).collect();
        Self { algorithm, values }
    }

    /// The default values, changed by `text`: `key=value,key=value`.
    pub(crate) fn read(
        algorithm: &'static str,
        parameters: &[Parameter],
        text: &'a str,
    ) -> Result<Self, AlgorithmError> {
        let mut settings = Self::new(algorithm, parameters);
        let mut given = Vec::new();
        for part in text.split(',') {
            let Some((key, value)) = part.split_once('=') else {
                let example = parameters.first().map_or("key=value".to_owned(), |first| {
                    format!("key=value, such as {}={}", first.key, first.default)
                });
                return Err(AlgorithmError::value(algorithm, format!("{part:?}"), example));
            };
            let (key, value) = (key.trim(), value.trim());
            let Some(index) = parameters.iter().position(|parameter| parameter.key == key) else {
                let keys = parameters.iter().map(|parameter| parameter.key);
                return Err(AlgorithmError::unknown_key(algorithm, key, keys));
            };
            if given.contains(&index) {
                return Err(settings.error(key, value, "each parameter once"));
            }
            given.push(index);
            settings.values[index].1 = value;
        }
        Ok(settings)
    }

    /// A number or a fraction such as `2/3`, within `range`.
    pub(crate) fn number(
        &self,
        key: &str,
        range: RangeInclusive<f64>,
    ) -> Result<f64, AlgorithmError> {
        let text = self.text(key);
        number(text).filter(|number| range.contains(number)).ok_or_else(|| {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            self.error(key, text, expected)
        })
    }

    /// A time span with its unit, within `range`.
    pub(crate) fn span(
        &self,
        key: &str,
        range: RangeInclusive<Span>,
    ) -> Result<Span, AlgorithmError> {
        let text = self.text(key);
        Span::from_text(text).filter(|span| range.contains(span)).ok_or_else(|| {
            let expected =
                format!("{} to {} with its unit, such as 10 s", range.start(), range.end());
            self.error(key, text, expected)
        })
    }

    /// The text of the value of `key`.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        let value = self.values.iter().find(|(name, _)| *name == key);
        value.expect("an algorithm asks for its own parameters").1
    }

    /// An error: `key` is `value`, but should be `expected`.
    pub(crate) fn error(&self, key: &str, value: &str, expected: impl Display) -> AlgorithmError {
        AlgorithmError::value(format!("{}:{key}", self.algorithm), format!("{value:?}"), expected)
    }
}

/// A decimal number, or two with a slash between them.
pub(crate) fn number(text: &str) -> Option<f64> {
    let number = match text.split_once('/') {
        Some((numerator, denominator)) => {
            decimal(numerator)? / decimal(denominator).filter(|&number| number != 0.0)?
        }
        None => decimal(text)?,
    };
    number.is_finite().then_some(number)
}

fn decimal(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}
