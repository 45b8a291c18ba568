//! The TSNs that have arrived: everything up to the cumulative TSN, and islands above it. RFC 9260 §6.2

use manypath_core::{Ranges, Tsn, TsnRange};

/// The TSNs that have arrived.
#[derive(Debug, Default)]
pub(super) struct TsnMap {
    cumulative: Tsn,
    above: Ranges,
}

impl TsnMap {
    /// A map in which nothing has arrived; `initial` is the first TSN to come.
    pub(super) fn new(initial: Tsn) -> Self {
        Self { cumulative: initial.previous(), ..Self::default() }
    }

    /// The TSN up to which everything has arrived.
    pub(super) fn cumulative(&self) -> Tsn {
        self.cumulative
    }

    /// Whether a TSN is missing below one that has arrived.
    pub(super) fn has_gaps(&self) -> bool {
        !self.above.is_empty()
    }

    /// Number of TSNs that have not arrived below one that has arrived.
    pub(super) fn missing(&self) -> usize {
        let last = self.above.last().unwrap_or(self.cumulative);
        last.0.wrapping_sub(self.cumulative.0) as usize - self.above.count() as usize
    }

    /// How many ranges above the cumulative TSN have arrived.
    pub(super) fn islands(&self) -> usize {
        self.above.len()
    }

    /// Whether `tsn` has arrived.
    pub(super) fn contains(&self, tsn: Tsn) -> bool {
        tsn.is_at_or_before(self.cumulative) || self.above.contains(tsn)
    }

    /// Whether a TSN after `tsn` has arrived.
    pub(super) fn reaches_beyond(&self, tsn: Tsn) -> bool {
        self.above.last().unwrap_or(self.cumulative).is_after(tsn)
    }

    /// Whether `tsn` is too far above the cumulative TSN for a gap block. RFC 9260 §3.3.4
    ///
    /// Such a TSN is refused, because its arrival could not be reported. This also limits the map to one island per two
    /// TSNs in reach.
    pub(super) fn is_out_of_reach(&self, tsn: Tsn) -> bool {
        tsn.is_after(self.cumulative.add(u32::from(u16::MAX))) && tsn.is_after(self.cumulative)
    }

    /// Records the arrival of `tsn`; returns false if it had arrived before.
    pub(super) fn insert(&mut self, tsn: Tsn) -> bool {
        seeded!(HoleSkipped => if tsn == self.cumulative.add(2) { self.advance(tsn); return true });
        if tsn == self.cumulative.next() {
            self.advance(tsn);
            return true;
        }
        tsn.is_after(self.cumulative) && self.above.insert(tsn)
    }

    /// Removes `given_up`, a range of received TSNs above the cumulative TSN.
    pub(super) fn remove(&mut self, given_up: TsnRange) {
        debug_assert!(given_up.first.is_after(self.cumulative));
        let removed = self.above.remove(given_up);
        debug_assert!(removed, "only what has arrived is given up");
    }

    /// Writes the islands that a SACK can report into `blocks`: the lowest `limit` ones, within 16-bit offsets.
    pub(super) fn report(&self, limit: usize, blocks: &mut Ranges) {
        let farthest = self.cumulative.add(u32::from(u16::MAX));
        if self.above.len() <= limit && !self.reaches_beyond(farthest) {
            blocks.copy_from(&self.above);
            return;
        }
        blocks.clear();
        for TsnRange { first, last } in self.above.iter().take(limit) {
            if first.is_after(farthest) {
                break;
            }
            let last = if last.is_after(farthest) { farthest } else { last };
            blocks.push(TsnRange { first, last });
        }
    }

    /// Writes the lowest `limit` blocks into two lists: the blocks in `settled`, which is a subset of the islands, into
    /// `kept`, and the other blocks into `gaps`.
    pub(super) fn report_apart(
        &self,
        settled: &Ranges,
        limit: usize,
        gaps: &mut Ranges,
        kept: &mut Ranges,
    ) {
        gaps.clear();
        kept.clear();
        let farthest = self.cumulative.add(u32::from(u16::MAX));
        let mut put = |is_kept: bool, first: Tsn, last: Tsn| {
            if first.is_after(last) || first.is_after(farthest) || gaps.len() + kept.len() == limit
            {
                return;
            }
            let last = if last.is_after(farthest) { farthest } else { last };
            if is_kept { &mut *kept } else { &mut *gaps }.push(TsnRange { first, last });
        };
        let mut settled = settled.iter().peekable();
        for island in self.above.iter() {
            let mut first = island.first;
            while let Some(range) = settled.next_if(|range| island.contains(range.first)) {
                put(false, first, range.first.previous());
                put(true, range.first, range.last);
                first = range.last.next();
            }
            put(false, first, island.last);
        }
    }

    fn advance(&mut self, tsn: Tsn) {
        self.cumulative = tsn;
        if let Some(island) = self.above.as_slice().first()
            && island.first == tsn.next()
        {
            self.cumulative = island.last;
            self.above.remove_up_to(island.last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cumulative_tsn_jumps_over_the_island_that_a_late_chunk_joins() {
        let mut map = TsnMap::new(Tsn(10));
        assert_eq!(map.cumulative(), Tsn(9));
        for tsn in [10, 12, 13, 15] {
            assert!(map.insert(Tsn(tsn)));
        }
        assert_eq!(map.cumulative(), Tsn(10));
        assert_eq!(reported(&map, 9), [(12, 13), (15, 15)]);
        assert_eq!(map.missing(), 2, "11 and 14");

        assert!(map.insert(Tsn(11)));
        assert_eq!(map.cumulative(), Tsn(13));
        assert_eq!(reported(&map, 9), [(15, 15)]);

        assert!(map.insert(Tsn(14)));
        assert_eq!(map.cumulative(), Tsn(15));
        assert!(!map.has_gaps());
        assert_eq!(map.missing(), 0);
    }

    #[test]
    fn a_tsn_arrives_once() {
        let mut map = TsnMap::new(Tsn(1));
        assert!(map.insert(Tsn(1)) && map.insert(Tsn(3)));
        assert!(!map.insert(Tsn(1)) && !map.insert(Tsn(3)));
        assert!(!map.insert(Tsn(0)), "a TSN before the first one counts as old");
        assert!(map.contains(Tsn(3)) && !map.contains(Tsn(2)));
    }

    #[test]
    fn the_number_circle_closes() {
        let mut map = TsnMap::new(Tsn(u32::MAX));
        for tsn in [0, 2, u32::MAX] {
            assert!(map.insert(Tsn(tsn)));
        }
        assert_eq!(map.cumulative(), Tsn(0));
        assert!(map.insert(Tsn(1)));
        assert_eq!(map.cumulative(), Tsn(2));
    }

    #[test]
    fn the_lowest_blocks_are_reported_first() {
        let mut map = TsnMap::new(Tsn(1));
        for tsn in [3, 5, 7, 9] {
            map.insert(Tsn(tsn));
        }
        assert_eq!(reported(&map, 2), [(3, 3), (5, 5)]);
        assert_eq!(reported(&map, 0), []);
    }

    #[test]
    fn blocks_end_where_sixteen_bits_end() {
        let mut map = TsnMap::new(Tsn(1));
        for tsn in [2, 65_534, 65_535, 65_536, 70_000] {
            map.insert(Tsn(tsn));
        }
        assert_eq!(reported(&map, 9), [(2, 2), (65_534, 65_535)]);
    }

    #[test]
    fn settled_tsns_are_reported_separately() {
        let mut map = TsnMap::new(Tsn(1));
        for tsn in [3, 4, 5, 6, 7, 10, 12, 13, 65_534, 65_536] {
            map.insert(Tsn(tsn));
        }
        let mut settled = Ranges::new();
        for tsn in [3, 5, 6, 13, 65_536] {
            settled.insert(Tsn(tsn));
        }
        let apart = |limit| {
            let (mut gaps, mut kept) = (Ranges::new(), Ranges::new());
            map.report_apart(&settled, limit, &mut gaps, &mut kept);
            [gaps, kept].map(|list| {
                list.iter().map(|block| (block.first.0, block.last.0)).collect::<Vec<_>>()
            })
        };
        let gaps = vec![(4, 4), (7, 7), (10, 10), (12, 12), (65_534, 65_534)];
        assert_eq!(apart(99), [gaps, vec![(3, 3), (5, 6), (13, 13)]]);
        assert_eq!(apart(4), [vec![(4, 4), (7, 7)], vec![(3, 3), (5, 6)]], "the lowest of both");
        assert_eq!(apart(0), [vec![], vec![]]);
    }

    #[test]
    fn a_tsn_that_was_given_up_may_arrive_again() {
        let mut map = TsnMap::new(Tsn(1));
        for tsn in [3, 4, 5, 6, 9] {
            map.insert(Tsn(tsn));
        }
        map.remove(TsnRange { first: Tsn(4), last: Tsn(5) });
        assert_eq!(reported(&map, 9), [(3, 3), (6, 6), (9, 9)]);
        assert!(map.insert(Tsn(5)));
        map.remove(TsnRange::one(Tsn(9)));
        assert!(!map.reaches_beyond(Tsn(6)));
    }

    fn reported(map: &TsnMap, limit: usize) -> Vec<(u32, u32)> {
        let mut blocks = Ranges::new();
        map.report(limit, &mut blocks);
        blocks.iter().map(|block| (block.first.0, block.last.0)).collect()
    }
}
