//! The part of the peer's sequence space that has arrived on one subflow, and its report in acknowledgements.

use manypath_core::{OffsetRange, OffsetRanges};

/// The received sequence space of a subflow, by offsets: 0 is the first byte after SYN.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Everything below has arrived.
    next: u64,
    /// Ranges that arrived beyond `next`.
    above: OffsetRanges,
    /// Some of these ranges, the most recently changed one first. RFC 2018 §4
    recent: Vec<OffsetRange>,
}

/// The effect of a received segment.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct News {
    /// Whether some of it had not arrived before.
    pub(crate) is_new: bool,
    /// Whether it was beyond a gap, filled a gap, or had arrived before: an immediate acknowledgement is due.
    /// RFC 5681 §4.2
    pub(crate) is_urgent: bool,
}

impl Arrivals {
    /// Everything below has arrived.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The ranges beyond the next expected offset, the most recently changed one first; at most four.
    #[inline]
    pub(crate) fn recent(&self) -> &[OffsetRange] {
        &self.recent
    }

    /// Inserts `range`, which has arrived.
    #[inline]
    pub(crate) fn insert(&mut self, range: OffsetRange) -> News {
        if range.start <= self.next && range.end > self.next && self.above.is_empty() {
            self.next = range.end;
            return News { is_new: true, is_urgent: false };
        }
        self.insert_with_gaps(range)
    }

    fn insert_with_gaps(&mut self, range: OffsetRange) -> News {
        let start = range.start.max(self.next);
        if range.end <= start {
            return News { is_new: false, is_urgent: true };
        }
        let mut is_new = false;
        let merged = self.above.insert(OffsetRange { start, end: range.end }, |_| is_new = true);
        self.recent.retain(|known| !merged.covers(*known));
        if merged.start == self.next {
            self.next = merged.end;
            self.above.remove_below(merged.end);
        } else {
            self.recent.truncate(MOST_RECENT - 1);
            self.recent.insert(0, merged);
        }
        News { is_new, is_urgent: true }
    }
}

/// A segment has no room for more blocks. RFC 2018 §3
const MOST_RECENT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(arrivals: &mut Arrivals, start: u64, end: u64) -> News {
        arrivals.insert(OffsetRange { start, end })
    }

    #[test]
    fn the_range_that_grew_last_is_reported_first() {
        let mut arrivals = Arrivals::default();
        insert(&mut arrivals, 0, 10);
        for start in [20, 40, 60, 80, 100] {
            assert!(insert(&mut arrivals, start, start + 10).is_urgent);
        }
        insert(&mut arrivals, 50, 55);
        let reported: Vec<_> =
            arrivals.recent().iter().map(|range| (range.start, range.end)).collect();
        assert_eq!(reported, [(40, 55), (100, 110), (80, 90), (60, 70)]);
    }

    #[test]
    fn a_filled_gap_is_acknowledged_at_once_and_its_ranges_are_removed() {
        let mut arrivals = Arrivals::default();
        insert(&mut arrivals, 10, 20);
        insert(&mut arrivals, 30, 40);
        assert_eq!(insert(&mut arrivals, 0, 10), News { is_new: true, is_urgent: true });
        assert_eq!(arrivals.next(), 20);
        assert_eq!(arrivals.recent().len(), 1);
        insert(&mut arrivals, 15, 35);
        assert_eq!((arrivals.next(), arrivals.recent().len()), (40, 0));
        assert_eq!(insert(&mut arrivals, 5, 40), News { is_new: false, is_urgent: true });
        assert_eq!(insert(&mut arrivals, 40, 50), News { is_new: true, is_urgent: false });
    }
}
