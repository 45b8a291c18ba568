//! Sets of byte offsets as sorted ranges: the parts of a byte stream that have arrived.

/// The bytes from `start` (included) to `end` (excluded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OffsetRange {
    /// The lowest offset.
    pub start: u64,
    /// The offset after the highest one.
    pub end: u64,
}

/// A set of offsets: ranges in ascending order. At least one offset is missing between two neighbouring ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetRanges(Vec<OffsetRange>);

impl OffsetRange {
    /// The number of offsets in the range.
    #[must_use]
    pub const fn length(self) -> u64 {
        self.end - self.start
    }

    /// Whether the range is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether every offset of `other` is in the range.
    #[must_use]
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl OffsetRanges {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether no offset is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges in ascending order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[OffsetRange] {
        &self.0
    }

    /// The number of offsets in the set.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| range.length()).sum()
    }

    /// Whether every offset of `range` is in the set.
    #[must_use]
    pub fn covers(&self, range: OffsetRange) -> bool {
        let at = self.0.partition_point(|known| known.end < range.end);
        self.0.get(at).is_some_and(|known| known.covers(range))
    }

    /// Adds a range and calls `out` with each part that was missing, in ascending order. Returns the range of the set
    /// that contains the added range. Takes constant time at or beyond the upper end.
    ///
    /// # Panics
    /// If `range` is empty.
    pub fn insert(&mut self, range: OffsetRange, mut out: impl FnMut(OffsetRange)) -> OffsetRange {
        assert!(!range.is_empty(), "a range without an offset");
        match self.0.last_mut() {
            Some(last) if last.start <= range.start && range.start <= last.end => {
                if range.end > last.end {
                    out(OffsetRange { start: last.end, end: range.end });
                    last.end = range.end;
                }
                *last
            }
            Some(last) if range.start <= last.end => self.insert_below(range, out),
            _ => {
                out(range);
                self.0.push(range);
                range
            }
        }
    }

    /// Removes every offset below `offset`.
    pub fn remove_below(&mut self, offset: u64) {
        let gone = self.0.iter().take_while(|range| range.end <= offset).count();
        if gone > 0 {
            self.0.drain(..gone);
        }
        if let Some(range) = self.0.first_mut() {
            range.start = range.start.max(offset);
        }
    }

    fn insert_below(
        &mut self,
        range: OffsetRange,
        mut out: impl FnMut(OffsetRange),
    ) -> OffsetRange {
        let first = self.0.partition_point(|known| known.end < range.start);
        let mut merged = range;
        let mut missing = range.start;
        let mut after = first;
        while let Some(known) = self.0.get(after).filter(|known| known.start <= range.end) {
            if missing < known.start {
                out(OffsetRange { start: missing, end: known.start });
            }
            merged = OffsetRange {
                start: merged.start.min(known.start),
                end: merged.end.max(known.end),
            };
            missing = missing.max(known.end);
            after += 1;
        }
        if missing < range.end {
            out(OffsetRange { start: missing, end: range.end });
        }
        self.0.splice(first..after, [merged]);
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn range(start: u64, end: u64) -> OffsetRange {
        OffsetRange { start, end }
    }

    #[test]
    fn a_range_between_two_others_reports_the_filled_hole() {
        let mut set = OffsetRanges::new();
        for (start, end) in [(10, 20), (30, 40), (50, 60)] {
            set.insert(range(start, end), |_| ());
        }
        let mut new = Vec::new();
        assert_eq!(set.insert(range(15, 35), |part| new.push(part)), range(10, 40));
        assert_eq!(new, [range(20, 30)]);
        assert_eq!(set.as_slice(), [range(10, 40), range(50, 60)]);
        set.remove_below(15);
        assert_eq!(set.as_slice(), [range(15, 40), range(50, 60)]);
        assert!(set.covers(range(20, 40)) && !set.covers(range(39, 41)));
    }

    proptest! {
        #[test]
        fn ranges_of_offsets_equal_a_set(
            steps in prop::collection::vec((0_u64..60, 1_u64..20, prop::bool::weighted(0.1)), 1..40),
        ) {
            let mut ranges = OffsetRanges::new();
            let mut set = BTreeSet::new();
            for (start, length, removes) in steps {
                if removes {
                    ranges.remove_below(start);
                    set.retain(|&offset| offset >= start);
                } else {
                    let mut new = Vec::new();
                    let whole = ranges.insert(range(start, start + length), |part| new.push(part));
                    prop_assert!(whole.covers(range(start, start + length)));
                    let parts: Vec<u64> = new.iter().flat_map(|part| part.start..part.end).collect();
                    let missing: Vec<u64> =
                        (start..start + length).filter(|offset| !set.contains(offset)).collect();
                    prop_assert_eq!(parts, missing);
                    set.extend(start..start + length);
                }
                let held: Vec<u64> =
                    ranges.as_slice().iter().flat_map(|part| part.start..part.end).collect();
                prop_assert_eq!(held, set.iter().copied().collect::<Vec<_>>());
                prop_assert!(ranges.as_slice().windows(2).all(|pair| pair[0].end < pair[1].start));
            }
        }
    }
}
