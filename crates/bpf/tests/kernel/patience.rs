//! Waiting for what the kernel does in its own time.

use std::time::{Duration, Instant};

/// Waits up to five seconds until `holds`.
pub(crate) fn soon(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(5), "in five seconds: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
