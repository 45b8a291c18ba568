//! The progress of a test, which distinguishes a stopped peer from a slow one.

use std::time::Instant;

use manypath_core::Span;

use crate::Path;

/// Payload that a peer has sent or accepted.
#[derive(Debug)]
pub(super) struct Progress {
    at: Instant,
    waited: Span,
    acknowledged: u64,
    taken: u64,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { at: Instant::now(), waited: Span::ZERO, acknowledged: 0, taken: 0 }
    }

    /// Number of bytes so far. While a path is blocked by the receive window all the time, acknowledged bytes are only
    /// window probes, which the peer's SCTP accepts even if its program has stopped, so they are not counted.
    pub(super) fn read(&mut self, now: Instant, paths: &[Path]) -> u64 {
        let received: u64 = paths.iter().map(|path| path.stats.bytes_received).sum();
        let acknowledged = paths.iter().map(|path| path.stats.bytes_acked).sum();
        let waited = paths.iter().map(|path| path.blocked.receive_window).max().unwrap_or_default();
        let (elapsed, waits) = (now - self.at, waited.as_secs_f64() - self.waited.as_secs_f64());
        if waits < 0.8 * elapsed.as_secs_f64() {
            self.taken += acknowledged - self.acknowledged;
        }
        (self.at, self.waited, self.acknowledged) = (now, waited, acknowledged);
        received + self.taken
    }
}
