//! Repeated keys of a document: a parser keeps one of the values, and drops the other without an error.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A document of any structure whose objects have each key once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnceEach;

impl<'de> Deserialize<'de> for OnceEach {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Content)
    }
}

struct Content;

impl<'de> Visitor<'de> for Content {
    type Value = OnceEach;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OnceEach, A::Error> {
        let mut known = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if known.contains(&key) {
                return Err(A::Error::custom(format!(
                    "key {key:?} is there twice, expected each key once"
                )));
            }
            known.insert(key);
            map.next_value::<OnceEach>()?;
        }
        Ok(OnceEach)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OnceEach, A::Error> {
        while list.next_element::<OnceEach>()?.is_some() {}
        Ok(OnceEach)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<OnceEach, E> {
        IgnoredAny.visit_bool(value).map(|_| OnceEach)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<OnceEach, E> {
        IgnoredAny.visit_i64(value).map(|_| OnceEach)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<OnceEach, E> {
        IgnoredAny.visit_u64(value).map(|_| OnceEach)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<OnceEach, E> {
        IgnoredAny.visit_f64(value).map(|_| OnceEach)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<OnceEach, E> {
        IgnoredAny.visit_str(value).map(|_| OnceEach)
    }

    fn visit_unit<E: Error>(self) -> Result<OnceEach, E> {
        Ok(OnceEach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_there_twice_is_refused_at_any_depth() {
        let read = |json| serde_json::from_str::<OnceEach>(json).map(drop);
        for json in ["{}", r#"{"a": [1, -1, 1.5, "a", true, null, {"a": 1}], "b": {"a": 2}}"#] {
            assert!(read(json).is_ok(), "{json}");
        }
        for json in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1, "b": 2, "\u0061": 3}}]"#] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.starts_with("key \"a\" is there twice, expected each"), "{error}");
        }
    }
}
