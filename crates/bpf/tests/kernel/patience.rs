//! Waiting for asynchronous operations of the kernel, which may take long on a busy machine.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Many times the duration of any awaited operation on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until `holds` returns true.
pub(crate) fn soon(what: &str, holds: impl Fn() -> bool) {
    found(what, || holds().then_some(()).ok_or(()));
}

/// Repeats `look` until it succeeds; panics with its last error after the time limit.
pub(crate) fn found<T, S: Debug>(what: &str, look: impl FnMut() -> Result<T, S>) -> T {
    found_within(PATIENCE, what, look)
}

/// Like `found`, with another time limit.
pub(crate) fn found_within<T, S: Debug>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> Result<T, S>,
) -> T {
    let begin = Instant::now();
    loop {
        match look() {
            Ok(sought) => return sought,
            Err(seen) => assert!(begin.elapsed() < patience, "in {patience:?}: {what}: {seen:#?}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
