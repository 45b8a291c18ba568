//! The event of a path that could not send new data.

use std::collections::BTreeMap;

use manypath_core::{BlockedTime, ByLimit, Span, Time};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::json;

/// The time during which a path could not send new data, by the first limit, in seconds. Limits without time are not
/// listed.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = require_since_only)]
pub struct Blocked {
    /// Start of the time that is described; its end is the time of the event. In seconds, as the times of events.
    pub since: f64,
    /// The limits by name.
    #[serde(flatten)]
    #[schemars(with = "ByLimit<Option<f64>>")]
    pub spent: BTreeMap<&'static str, f64>,
}

impl Blocked {
    /// The event about the time `spent` since `since`.
    #[must_use]
    pub fn new(since: Time, spent: BlockedTime) -> Self {
        let spent = spent.iter().filter(|(_, time)| **time > Span::ZERO);
        Self {
            since: since.as_secs_f64(),
            spent: spent.map(|(limit, time)| (limit, time.as_secs_f64())).collect(),
        }
    }
}

fn require_since_only(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!(["since"]));
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

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
        let settings = SchemaSettings::default().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Blocked>().to_value();
        for (limit, meaning) in ByLimit::MEANINGS.iter() {
            let described = schema["properties"][limit]["description"].as_str();
            assert_eq!(described.map(|it| it.replace('\n', " ")).as_deref(), Some(*meaning));
        }
        assert_eq!(schema["required"], json!(["since"]));
    }
}
