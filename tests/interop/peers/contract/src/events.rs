//! Events: JSON objects, one a line, on standard output.

use serde_json::{Value, json};
use std::io::Write;

/// Prints one event with its fields, which are an object or null.
///
/// # Panics
/// If `fields` is anything else, or standard output is closed: then nothing that the peer does is of use.
pub fn report(name: &str, fields: Value) {
    let mut event = json!({ "event": name });
    match fields {
        Value::Null => {}
        Value::Object(fields) => event.as_object_mut().expect("made above").extend(fields),
        other => panic!("fields of an event are an object, not {other}"),
    }
    let mut output = std::io::stdout().lock();
    writeln!(output, "{event}").and_then(|()| output.flush()).expect("standard output is open");
}

/// Prints the event `error` and ends the program with code 1.
pub fn fail(message: &str) -> ! {
    report("error", json!({ "message": message }));
    std::process::exit(1);
}
