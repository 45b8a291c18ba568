//! Waiting for what the kernel does in its own time, which on a machine with other work may be long.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Many times what a busy machine takes for anything that these tests wait for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `holds`.
pub(crate) fn soon(what: &str, holds: impl Fn() -> bool) {
    found(what, || holds().then_some(()).ok_or(()));
}

/// Waits until `look` finds what is sought; what it saw instead is told if it never does.
pub(crate) fn found<T, S: Debug>(what: &str, look: impl FnMut() -> Result<T, S>) -> T {
    found_within(PATIENCE, what, look)
}

/// The same with another patience.
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
