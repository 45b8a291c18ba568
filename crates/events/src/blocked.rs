//! The event of a path that could not send new data.

use std::borrow::Cow;

use manypath_core::{Span, Time};
use manypath_sctp::{BlockedTime, ByLimit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// The time during which a path could not send new data, by the first limit, in seconds. Limits without time are not
/// listed.
#[derive(Debug, Default, PartialEq)]
pub struct Blocked {
    since: Time,
    spent: BlockedTime,
}

impl Blocked {
    /// `since` is the start of the time that is described; its end is the time of the event.
    #[must_use]
    pub const fn new(since: Time, spent: BlockedTime) -> Self {
        Self { since, spent }
    }
}

impl Serialize for Blocked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(SINCE, &self.since.as_secs_f64())?;
        for (limit, &spent) in self.spent.iter().filter(|(_, spent)| **spent > Span::ZERO) {
            map.serialize_entry(limit, &spent.as_secs_f64())?;
        }
        map.end()
    }
}

impl JsonSchema for Blocked {
    fn schema_name() -> Cow<'static, str> {
        "Blocked".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number =
            |doc: &str| json!({ "description": doc, "type": "number", "format": "double" });
        let limits = ByLimit::MEANINGS;
        let limits = limits.iter().map(|(limit, doc)| (limit.to_owned(), number(doc)));
        let since = (SINCE.to_owned(), number(SINCE_DOC));
        let properties: Map<String, Value> = std::iter::once(since).chain(limits).collect();
        json_schema!({
            "description": DOC,
            "type": "object",
            "properties": properties,
            "required": [SINCE],
            "additionalProperties": false,
        })
    }
}

const DOC: &str = "The time during which a path could not send new data, by the first limit, in seconds. Limits \
    without time are not listed.";
const SINCE: &str = "since";
const SINCE_DOC: &str = "Start of the time that is described; its end is the time of the event. In seconds, as the \
    times of events.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_limits_with_time_are_written() {
        let (since, window) = (Time::ZERO + Span::from_secs(2), Span::from_millis(250));
        let blocked = Blocked::new(since, BlockedTime { window, ..BlockedTime::default() });
        let written = serde_json::to_value(&blocked).expect("it can be written");
        assert_eq!(written, json!({ "since": 2.0, "window": 0.25 }));
    }

    #[test]
    fn the_schema_has_every_limit_with_its_meaning() {
        let schema = schemars::schema_for!(Blocked).to_value();
        for (limit, meaning) in ByLimit::MEANINGS.iter() {
            assert_eq!(schema["properties"][limit]["description"], *meaning);
        }
        assert_eq!(schema["required"], json!(["since"]));
    }
}
