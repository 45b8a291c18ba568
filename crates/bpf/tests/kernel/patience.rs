//! Waiting for what the kernel does in its own time.

use std::time::{Duration, Instant};

/// Waits up to thirty seconds until `holds`.
pub(crate) fn soon(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(30), "in thirty seconds: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
