//! Events: JSON objects, one a line, on standard output.

use serde_json::{Value, json};
use std::io::{Read, Write};

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

/// Waits until standard input ends: until then the stack answers a peer that repeats its last packets.
pub fn wait_for_end_of_input() {
    // An error is an end, too.
    while matches!(std::io::stdin().read(&mut [0; 64]), Ok(1..)) {}
}

/// Prints the event `error` and ends the program with code 1.
pub fn fail(message: &str) -> ! {
    report("error", json!({ "message": message }));
    std::process::exit(1);
}
