//! Reads files of events, and checks each line against the published schema of the simulator's events.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// The lines after the header. Panics unless every line matches the schema and times never decrease.
pub(crate) fn read(file: &Path) -> Vec<Value> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/events.schema.json");
    let schema = parse(&std::fs::read_to_string(schema).expect("the schema is there"));
    let text = std::fs::read_to_string(file).expect("the file is there");
    assert!(text.ends_with('\n'), "the last line is whole");
    let mut lines: Vec<Value> = text.lines().map(parse).collect();
    for line in &lines {
        assert!(properties(&schema, &schema, line).is_some(), "not of the schema: {line}");
    }
    let header = lines.remove(0);
    assert_eq!(header["file_schema"], "urn:manypath:events:1");
    assert!(lines.is_sorted_by_key(|line| line["time"].as_f64()), "times grow");
    lines
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The properties that a schema describes for a value; `None` if the value does not match. Supports the part of JSON
/// Schema 2020-12 that our schema uses, and panics for other keywords.
fn properties(root: &Value, schema: &Value, value: &Value) -> Option<BTreeSet<String>> {
    let object = schema.as_object().expect("a schema is an object");
    let array = |schema: &Value| schema.as_array().expect("an array").clone();
    let mut known = BTreeSet::new();
    for (keyword, rule) in object {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" => true,
            // After all others
            "additionalProperties" | "unevaluatedProperties" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|rule| rule.strip_prefix('#'));
                let target = pointer.and_then(|pointer| root.pointer(pointer)).expect("a place");
                known.extend(properties(root, target, value)?);
                true
            }
            "anyOf" | "oneOf" => {
                let found = array(rule).into_iter();
                let found: Vec<_> = found.filter_map(|it| properties(root, &it, value)).collect();
                let holds = found.len() == 1 || keyword == "anyOf" && !found.is_empty();
                known.extend(found.into_iter().flatten());
                holds
            }
            "enum" => array(rule).contains(value),
            "const" => rule == value,
            "type" => match rule {
                Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
                kind => is_of(kind, value),
            },
            "minimum" => value.as_f64() >= rule.as_f64(),
            "maximum" => value.as_f64() <= rule.as_f64(),
            "minItems" => value.as_array().is_some_and(|it| it.len() as u64 >= bound(rule)),
            "maxItems" => value.as_array().is_some_and(|it| it.len() as u64 <= bound(rule)),
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                items.all(|item| properties(root, rule, item).is_some())
            }
            "required" => {
                array(rule).iter().all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "properties" => {
                let rules = rule.as_object().expect("an object");
                rules.iter().all(|(name, rule)| {
                    let Some(value) = value.get(name) else { return true };
                    known.insert(name.clone());
                    properties(root, rule, value).is_some()
                })
            }
            keyword => panic!("the schema says `{keyword}`"),
        };
        if !holds {
            return None;
        }
    }
    let is_closed = |keyword| object.get(keyword) == Some(&Value::Bool(false));
    if is_closed("additionalProperties") || is_closed("unevaluatedProperties") {
        let mut names = value.as_object().into_iter().flat_map(|value| value.keys());
        if names.any(|name| !known.contains(name)) {
            return None;
        }
    }
    Some(known)
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a name") {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        kind => panic!("the schema knows the type `{kind}`"),
    }
}

fn bound(rule: &Value) -> u64 {
    rule.as_u64().expect("a number")
}

/// The chunks of a packet.
pub(crate) fn chunks(line: &Value) -> impl Iterator<Item = &Value> {
    line["data"]["chunks"].as_array().into_iter().flatten()
}

/// A number of a chunk or an event.
pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("{name} in {value}"))
}

/// Distinct DATA chunks of packets with this event, as TSN, stream and bytes of payload.
pub(crate) fn data(lines: &[Value], name: &str) -> BTreeSet<(u64, u64, u64)> {
    let packets = lines.iter().filter(|line| line["name"] == name);
    let chunks = packets.flat_map(chunks).filter(|chunk| chunk["type"] == "data");
    chunks
        .map(|chunk| (number(chunk, "tsn"), number(chunk, "stream"), number(chunk, "payload")))
        .collect()
}

#[test]
fn a_line_of_another_form_is_refused() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/events.schema.json");
    let schema = parse(&std::fs::read_to_string(schema).unwrap());
    let right = parse(
        r#"{"time":0.1,"flow":"a","host":"sink","path":"p","name":"transport:packet_sent",
        "data":{"length":60,"chunks":[{"type":"sack","cumulative":7,"window":9,"gaps":[[1,2]]}]}}"#,
    );
    assert!(properties(&schema, &schema, &right).is_some());
    for (place, wrong) in [
        ("/name", "\"transport:packet_eaten\""),
        ("/time", "\"soon\""),
        ("/host", "\"middle\""),
        ("/data/length", "-1"),
        ("/data/chunks/0/type", "\"bag\""),
        ("/data/chunks/0/cumulative", "null"),
        ("/data/chunks/0/gaps/0", "[1]"),
        ("/data/chunks/0/gaps/0", "[1,2,3]"),
        ("/data/chunks", "{}"),
    ] {
        let mut line = right.clone();
        *line.pointer_mut(place).unwrap() = parse(wrong);
        assert!(properties(&schema, &schema, &line).is_none(), "{line}");
    }
    let mut line = right;
    line["colour"] = "red".into();
    assert!(properties(&schema, &schema, &line).is_none(), "{line}");
}
