//! Sets of TSNs as sorted ranges. Receivers report them and senders compare them.

use crate::Tsn;

/// The TSNs from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TsnRange {
    /// The lowest TSN.
    pub first: Tsn,
    /// The highest TSN; equal to `first` in a range of one.
    pub last: Tsn,
}

/// A set of TSNs: ranges in ascending order. At least one TSN is missing between two neighbouring ranges.
///
/// All TSNs of a set lie within half of the serial number space, like those of an association.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<TsnRange>);

impl TsnRange {
    /// The range of `tsn` alone.
    #[must_use]
    pub const fn one(tsn: Tsn) -> Self {
        Self { first: tsn, last: tsn }
    }

    /// Whether `tsn` is in the range.
    #[must_use]
    pub const fn contains(self, tsn: Tsn) -> bool {
        self.first.is_at_or_before(tsn) && tsn.is_at_or_before(self.last)
    }

    /// The number of TSNs in the range.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.last.distance_from(self.first) + 1
    }
}

impl Ranges {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Reserves memory for a total of `ranges` ranges. Growth up to this number does not allocate.
    pub fn reserve(&mut self, ranges: usize) {
        self.0.reserve(ranges.saturating_sub(self.0.len()));
    }

    /// Whether no TSN is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of ranges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = TsnRange> + ExactSizeIterator + '_ {
        self.0.iter().copied()
    }

    /// The ranges in ascending order.
    #[must_use]
    pub fn as_slice(&self) -> &[TsnRange] {
        &self.0
    }

    /// The lowest TSN.
    #[must_use]
    pub fn first(&self) -> Option<Tsn> {
        self.0.first().map(|range| range.first)
    }

    /// The highest TSN.
    #[must_use]
    pub fn last(&self) -> Option<Tsn> {
        self.0.last().map(|range| range.last)
    }

    /// The number of TSNs in the set.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.iter().map(|range| u64::from(range.count())).sum()
    }

    /// Whether `tsn` is in the set.
    #[must_use]
    pub fn contains(&self, tsn: Tsn) -> bool {
        self.0.get(self.position(tsn)).is_some_and(|range| range.first.is_at_or_before(tsn))
    }

    /// Adds `tsn`; returns false if the set contains it already. Takes constant time at or beyond the upper end.
    pub fn insert(&mut self, tsn: Tsn) -> bool {
        match self.0.last_mut() {
            None => self.0.push(TsnRange::one(tsn)),
            Some(last) if tsn == last.last.next() => last.last = tsn,
            Some(last) if tsn.is_after(last.last) => self.0.push(TsnRange::one(tsn)),
            Some(last) if last.first.is_at_or_before(tsn) => return false,
            Some(_) => return self.insert_below(tsn),
        }
        true
    }

    /// Adds a range that begins after the last TSN of the set.
    pub fn push(&mut self, range: TsnRange) {
        debug_assert!(range.first.is_at_or_before(range.last));
        match self.0.last_mut() {
            Some(last) if range.first == last.last.next() => last.last = range.last,
            last => {
                debug_assert!(last.is_none_or(|last| range.first.is_after(last.last)));
                self.0.push(range);
            }
        }
    }

    /// Removes every TSN at or before `cumulative`.
    pub fn remove_up_to(&mut self, cumulative: Tsn) {
        let gone = self.0.iter().take_while(|range| range.last.is_at_or_before(cumulative)).count();
        if gone > 0 {
            self.0.drain(..gone);
        }
        if let Some(range) = self.0.first_mut()
            && range.first.is_at_or_before(cumulative)
        {
            range.first = cumulative.next();
        }
    }

    /// Removes a range. Returns false and removes nothing if the set does not hold the whole range. Takes constant time
    /// at the upper end of the set.
    pub fn remove(&mut self, gone: TsnRange) -> bool {
        let at = self.position(gone.first);
        let Some(holder) = self.0.get_mut(at) else { return false };
        if !holder.contains(gone.first) || !holder.contains(gone.last) {
            return false;
        }
        let below = TsnRange { last: gone.first.previous(), ..*holder };
        let above = TsnRange { first: gone.last.next(), ..*holder };
        match (gone.first == holder.first, gone.last == holder.last) {
            (true, true) => drop(self.0.remove(at)),
            (true, false) => *holder = above,
            (false, true) => *holder = below,
            (false, false) => {
                *holder = above;
                self.0.insert(at, below);
            }
        }
        true
    }

    /// Becomes equal to `other` and keeps its own allocated memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.clear();
        // In most cases there is nothing to copy
        if !other.is_empty() {
            self.0.extend_from_slice(&other.0);
        }
    }

    /// Calls `out` with each part of `new` that is not in `old`, in ascending order.
    ///
    /// Both lists are sorted and disjoint. Ranges that are equal in both lists are skipped in blocks, so the cost
    /// depends on the number of places where the lists differ.
    pub fn difference(new: &[TsnRange], old: &[TsnRange], mut out: impl FnMut(TsnRange)) {
        let (mut i, mut j) = (0, 0);
        while i < new.len() {
            let equal = common_prefix(&new[i..], &old[j..]);
            i += equal;
            j += equal;
            let Some(range) = new.get(i) else { return };
            while old.get(j).is_some_and(|known| known.last.is_before(range.first)) {
                j += 1;
            }
            j += subtract(*range, &old[j..], &mut out);
            i += 1;
        }
    }

    fn insert_below(&mut self, tsn: Tsn) -> bool {
        let at = self.position(tsn);
        let above = self.0[at];
        if above.first.is_at_or_before(tsn) {
            return false;
        }
        let joins_above = tsn.next() == above.first;
        let joins_below = at > 0 && self.0[at - 1].last.next() == tsn;
        match (joins_below, joins_above) {
            (true, true) => {
                self.0[at - 1].last = above.last;
                self.0.remove(at);
            }
            (true, false) => self.0[at - 1].last = tsn,
            (false, true) => self.0[at].first = tsn,
            (false, false) => self.0.insert(at, TsnRange::one(tsn)),
        }
        true
    }

    /// Index of the first range that ends at or after `tsn`.
    fn position(&self, tsn: Tsn) -> usize {
        self.0.partition_point(|range| range.last.is_before(tsn))
    }
}

/// Calls `out` with the parts of `range` that are not in `known`. No range of `known` ends before `range`. Returns the
/// number of ranges of `known` that end inside or at the end of `range`.
fn subtract(range: TsnRange, known: &[TsnRange], out: &mut impl FnMut(TsnRange)) -> usize {
    let mut first = range.first;
    for (passed, known) in known.iter().enumerate() {
        if known.first.is_after(range.last) {
            out(TsnRange { first, last: range.last });
            return passed;
        }
        if first.is_before(known.first) {
            out(TsnRange { first, last: known.first.previous() });
        }
        if known.last.is_at_or_after(range.last) {
            return passed + usize::from(known.last == range.last);
        }
        first = known.last.next();
    }
    out(TsnRange { first, last: range.last });
    known.len()
}

/// The number of equal ranges at the front of `a` and `b`.
fn common_prefix(a: &[TsnRange], b: &[TsnRange]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let done = BLOCK * blocks.take_while(|(a, b)| same_block(a, b)).count();
    done + a[done..].iter().zip(&b[done..]).take_while(|(a, b)| a == b).count()
}

/// Compares without a branch per range, so that the compiler can use vector instructions.
fn same_block(a: &[TsnRange], b: &[TsnRange]) -> bool {
    let differing =
        |(a, b): (&TsnRange, &TsnRange)| (a.first.0 ^ b.first.0) | (a.last.0 ^ b.last.0);
    a.iter().zip(b).map(differing).fold(0, |all, bits| all | bits) == 0
}

const BLOCK: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_filled_hole_joins_its_neighbours() {
        let mut ranges = Ranges::new();
        assert!(ranges.insert(Tsn(1)) && ranges.insert(Tsn(2)) && ranges.insert(Tsn(4)));
        assert_eq!(ranges.len(), 2);
        assert!(ranges.insert(Tsn(3)) && !ranges.insert(Tsn(3)));
        assert_eq!(ranges.as_slice(), [TsnRange { first: Tsn(1), last: Tsn(4) }]);
    }

    #[test]
    fn the_difference_has_the_additions_of_a_later_report() {
        let range = |first, last| TsnRange { first: Tsn(first), last: Tsn(last) };
        let old: Vec<_> = (0..100).map(|i| range(10 * i, 10 * i + 4)).collect();
        let mut new = old.clone();
        new[50].last = Tsn(514); // the hole between 504 and 510 is filled
        new.remove(51);
        new.push(range(2000, 2009));

        let mut added = Vec::new();
        Ranges::difference(&new, &old, |range| added.push(range));
        assert_eq!(added, [range(505, 509), range(2000, 2009)]);
    }

    /// A naive set of offsets from a base near the point where TSNs wrap.
    type Model = BTreeSet<u32>;

    const BASE: Tsn = Tsn(u32::MAX - 30);

    fn ranges_of(model: &Model) -> Ranges {
        let mut ranges = Ranges::new();
        for &offset in model {
            assert!(ranges.insert(BASE.add(offset)));
        }
        ranges
    }

    fn offsets_of(ranges: &[TsnRange]) -> Vec<u32> {
        let all = |range: &TsnRange| {
            let first = range.first.distance_from(BASE);
            first..first + range.count()
        };
        ranges.iter().flat_map(all).collect()
    }

    fn is_well_formed(ranges: &Ranges) -> bool {
        ranges.iter().all(|range| range.first.is_at_or_before(range.last))
            && ranges.as_slice().windows(2).all(|pair| pair[0].last.next().is_before(pair[1].first))
    }

    fn model() -> impl Strategy<Value = Model> {
        prop::collection::btree_set(0_u32..80, 0..60)
    }

    proptest! {
        #[test]
        fn inserting_in_any_order_gives_the_same_set(order in prop::collection::vec(0_u32..80, 0..120)) {
            let (mut ranges, mut model) = (Ranges::new(), Model::new());
            for offset in order {
                prop_assert_eq!(ranges.insert(BASE.add(offset)), model.insert(offset));
                prop_assert!(is_well_formed(&ranges));
            }
            prop_assert_eq!(offsets_of(ranges.as_slice()), model.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(ranges.count(), model.len() as u64);
            prop_assert_eq!(ranges.first(), model.first().map(|&offset| BASE.add(offset)));
            prop_assert_eq!(ranges.last(), model.last().map(|&offset| BASE.add(offset)));
            for offset in 0..80 {
                prop_assert_eq!(ranges.contains(BASE.add(offset)), model.contains(&offset));
            }
        }

        #[test]
        fn a_cumulative_acknowledgement_removes_the_lower_part(model in model(), cumulative in 0_u32..80) {
            let mut ranges = ranges_of(&model);
            ranges.remove_up_to(BASE.add(cumulative));
            prop_assert!(is_well_formed(&ranges));
            let above: Vec<_> = model.range(cumulative + 1..).copied().collect();
            prop_assert_eq!(offsets_of(ranges.as_slice()), above);
        }

        #[test]
        fn a_range_is_removed_as_a_whole_or_not_at_all(model in model(), first in 0_u32..80, more in 0_u32..6) {
            let mut ranges = ranges_of(&model);
            let gone: Model = (first..=first + more).collect();
            let range = TsnRange { first: BASE.add(first), last: BASE.add(first + more) };
            let removed = ranges.remove(range);
            prop_assert_eq!(removed, gone.is_subset(&model));
            prop_assert!(is_well_formed(&ranges));
            let left: Vec<_> = model.iter().copied().filter(|it| !removed || !gone.contains(it)).collect();
            prop_assert_eq!(offsets_of(ranges.as_slice()), left);
        }

        #[test]
        fn the_difference_equals_that_of_sets(new in model(), old in model()) {
            let (new_ranges, old_ranges) = (ranges_of(&new), ranges_of(&old));
            let mut added = Vec::new();
            Ranges::difference(new_ranges.as_slice(), old_ranges.as_slice(), |range| added.push(range));
            prop_assert_eq!(offsets_of(&added), new.difference(&old).copied().collect::<Vec<_>>());
        }

        #[test]
        fn pushed_ranges_equal_inserted_ones(model in model()) {
            let ranges = ranges_of(&model);
            let mut pushed = Ranges::new();
            for offset in model {
                pushed.push(TsnRange::one(BASE.add(offset)));
            }
            prop_assert_eq!(&pushed, &ranges);
            let mut copy = Ranges::new();
            copy.copy_from(&pushed);
            prop_assert_eq!(copy, ranges);
        }
    }
}
