//! The part of the receive buffer that the application cannot read yet.

use manypath_core::Time;

use crate::stats::ReorderStats;

/// Accounting of the received bytes that wait for earlier data: fragments, and messages out of order.
#[derive(Debug, Default)]
pub(super) struct Reorder {
    stats: ReorderStats,
    /// The time up to which `stats` is complete.
    until: Time,
}

impl Reorder {
    /// Records the number of waiting bytes from `now` on.
    pub(super) fn note(&mut self, now: Time, bytes: u64) {
        if bytes == self.stats.bytes {
            return;
        }
        self.stats = self.stats(now);
        self.until = now;
        self.stats.bytes = bytes;
        self.stats.most_bytes = self.stats.most_bytes.max(bytes);
    }

    pub(super) fn stats(&self, now: Time) -> ReorderStats {
        let span = u128::from(now.saturating_since(self.until).as_nanos());
        let byte_nanos = self.stats.byte_nanos + u128::from(self.stats.bytes) * span;
        ReorderStats { byte_nanos, ..self.stats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_is_the_area_below_the_bytes_that_wait() {
        let at = Time::from_nanos;
        let mut reorder = Reorder::default();
        reorder.note(at(1_000), 0);
        reorder.note(at(2_000), 100);
        reorder.note(at(2_500), 300);
        reorder.note(at(2_600), 300);
        reorder.note(at(2_700), 50);
        let expected = |byte_nanos| ReorderStats { bytes: 50, most_bytes: 300, byte_nanos };
        assert_eq!(reorder.stats(at(2_700)), expected(100 * 500 + 300 * 200));
        assert_eq!(reorder.stats(at(2_900)), expected(100 * 500 + 300 * 200 + 50 * 200));
    }
}
