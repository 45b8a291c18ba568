//! The part of the receive buffer that the application cannot read yet.

use manypath_core::{Integral, Time};

use crate::stats::ReorderStats;

/// Accounting of the received bytes that wait for earlier data: fragments, and messages out of order.
#[derive(Debug, Default)]
pub(super) struct Reorder {
    bytes: Integral,
    most: u64,
}

impl Reorder {
    /// Records the number of waiting bytes from `now` on.
    pub(super) fn note(&mut self, now: Time, bytes: u64) {
        self.bytes.set(now, bytes);
        self.most = self.most.max(bytes);
    }

    pub(super) fn stats(&self, now: Time) -> ReorderStats {
        ReorderStats {
            bytes: self.bytes.value(),
            most_bytes: self.most,
            byte_nanos: self.bytes.until(now),
        }
    }
}
