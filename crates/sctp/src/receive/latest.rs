//! Finds the stream whose last waiting message has the highest TSN. A full receive buffer drops this message first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use manypath_core::Tsn;

/// Blocked streams; the one whose last message has the highest TSN is first.
///
/// Nothing is stored until the first message is dropped, because most associations never need the order. From then on
/// each change of a stream adds an entry, and outdated entries are skipped. A full buffer therefore costs each chunk
/// only a few steps, independently of the number of blocked streams.
#[derive(Debug, Default)]
pub(super) struct Latest {
    entries: BinaryHeap<Entry>,
    is_kept: bool,
}

/// A blocked stream, and the TSN of its last message when the entry was made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Entry {
    pub(super) last: Tsn,
    pub(super) stream: u16,
}

impl Latest {
    /// Records that the last message on a stream has changed. `streams` is the number of blocked streams.
    #[inline]
    pub(super) fn note(&mut self, entry: Entry, streams: usize) {
        if self.is_kept {
            self.entries.push(entry);
            // Outdated entries can be dropped: the next query collects the current ones again
            self.is_kept = self.entries.len() <= MOST_ENTRIES_PER_STREAM * streams + FEW;
        }
    }

    /// Discards all entries, because no stream is blocked.
    pub(super) fn forget(&mut self) {
        self.entries.clear();
        self.is_kept = false;
    }

    /// The blocked stream with the highest TSN. Entries for which `is_current` returns false are outdated and skipped.
    pub(super) fn first(
        &mut self,
        blocked: impl Iterator<Item = Entry>,
        is_current: impl Fn(&Entry) -> bool,
    ) -> Option<Entry> {
        if !self.is_kept {
            self.entries.clear();
            self.entries.extend(blocked);
            self.is_kept = true;
        }
        while let Some(entry) = self.entries.peek().copied() {
            if is_current(&entry) {
                return Some(entry);
            }
            self.entries.pop();
        }
        None
    }
}

/// By TSN; all TSNs are within half of the number space.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.last == other.last, self.last.is_after(other.last)) {
            (true, _) => self.stream.cmp(&other.stream),
            (false, true) => Ordering::Greater,
            (false, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Entries are collected again if there are more than this number per blocked stream plus `FEW`.
const MOST_ENTRIES_PER_STREAM: usize = 2;
const FEW: usize = 64;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    /// Changes of streams; `None` stands for a query of the first stream.
    fn steps() -> impl Strategy<Value = Vec<Option<(u16, Option<u32>)>>> {
        let change = (0_u16..40, prop::option::weighted(0.7, 0_u32..1000));
        prop::collection::vec(prop::option::weighted(0.8, change), 1..400)
    }

    proptest! {
        #[test]
        fn the_first_is_the_one_with_the_highest_tsn(steps in steps()) {
            let tsn = |offset: u32| Tsn(u32::MAX - 500).add(offset);
            let (mut latest, mut blocked) = (Latest::default(), BTreeMap::<u16, u32>::new());
            for step in steps {
                match step {
                    Some((stream, Some(offset))) => {
                        blocked.insert(stream, offset);
                        latest.note(Entry { last: tsn(offset), stream }, blocked.len());
                    }
                    Some((stream, None)) => {
                        blocked.remove(&stream);
                        if blocked.is_empty() {
                            latest.forget();
                        }
                    }
                    None => {
                        let entry = |(&stream, &offset): (&u16, &u32)| Entry { last: tsn(offset), stream };
                        let is_current = |entry: &Entry| blocked.get(&entry.stream).map(|it| tsn(*it)) == Some(entry.last);
                        let expected = blocked.iter().max_by_key(|(stream, offset)| (**offset, **stream)).map(entry);
                        prop_assert_eq!(latest.first(blocked.iter().map(entry), is_current), expected);
                    }
                }
                prop_assert!(latest.entries.len() <= MOST_ENTRIES_PER_STREAM * blocked.len().max(40) + FEW + 1);
            }
        }
    }

    #[test]
    fn nothing_is_kept_until_it_is_asked_for() {
        let mut latest = Latest::default();
        let entry = Entry { last: Tsn(1), stream: 0 };
        latest.note(entry, 1);
        assert!(latest.entries.is_empty());
        assert_eq!(latest.first([entry].into_iter(), |_| true), Some(entry));
    }
}
