//! Queues of associations with something to send, with events, and by their next timer. No operation visits idle
//! associations.

use manypath_core::Time;

/// The associations of an endpoint by their pending work, identified by their slots.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// Associations that may have something to send.
    pub(super) ready: IndexSet,
    /// Associations that may have an event for the application.
    pub(super) talking: IndexSet,
    /// For each association, a lower bound of its next timer. A postponed timer stays here until the bound has come,
    /// because acknowledgements postpone a timer with every packet.
    pub(super) due: Deadlines,
}

impl Queues {
    /// Records that an association may have something to send and events.
    #[inline]
    pub(super) fn touch(&mut self, index: usize) {
        self.ready.insert(index);
        self.talking.insert(index);
    }

    /// Removes an empty slot.
    pub(super) fn clear(&mut self, index: usize) {
        self.ready.remove(index);
        self.talking.remove(index);
        self.due.set(index, Time::NEVER);
    }
}

/// A set of small numbers in ascending order: one bit for each, and one bit for each word of 64 that is not empty.
#[derive(Debug, Default)]
pub(super) struct IndexSet {
    words: Vec<u64>,
    occupied: Vec<u64>,
}

impl IndexSet {
    #[inline]
    pub(super) fn insert(&mut self, index: usize) {
        let word = index / WORD;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
            self.occupied.resize(word / WORD + 1, 0);
        }
        self.words[word] |= 1 << (index % WORD);
        self.occupied[word / WORD] |= 1 << (word % WORD);
    }

    #[inline]
    pub(super) fn remove(&mut self, index: usize) {
        let word = index / WORD;
        let Some(bits) = self.words.get_mut(word) else { return };
        *bits &= !(1 << (index % WORD));
        if *bits == 0 {
            self.occupied[word / WORD] &= !(1 << (word % WORD));
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.occupied.iter().all(|bits| *bits == 0)
    }

    /// The lowest member from `start` on.
    #[inline]
    pub(super) fn first_from(&self, start: usize) -> Option<usize> {
        let word = start / WORD;
        let bits = self.words.get(word)? & (u64::MAX << (start % WORD));
        if bits != 0 {
            return Some(word * WORD + bits.trailing_zeros() as usize);
        }
        let word = next_bit(&self.occupied, word + 1)?;
        Some(word * WORD + self.words[word].trailing_zeros() as usize)
    }

    /// The lowest member from `start` on, or the lowest of all if there is none.
    #[inline]
    pub(super) fn first_around(&self, start: usize) -> Option<usize> {
        self.first_from(start).or_else(|| self.first_from(0))
    }
}

/// The lowest bit that is set from number `start` on.
fn next_bit(words: &[u64], start: usize) -> Option<usize> {
    let first = start / WORD;
    let mut mask = u64::MAX << (start % WORD);
    for (number, bits) in words.iter().enumerate().skip(first) {
        let bits = bits & std::mem::replace(&mut mask, u64::MAX);
        if bits != 0 {
            return Some(number * WORD + bits.trailing_zeros() as usize);
        }
    }
    None
}

/// One deadline per index, as a binary tree in one array: each inner node has the earliest deadline of its subtree. The
/// root is at index 1, and the second half of the array contains the leaves.
#[derive(Debug, Default)]
pub(super) struct Deadlines(Vec<Time>);

impl Deadlines {
    /// The earliest deadline; [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.0.get(1).copied().unwrap_or(Time::NEVER)
    }

    /// The deadline of an index; [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn at(&self, index: usize) -> Time {
        self.0.get(self.0.len() / 2 + index).copied().unwrap_or(Time::NEVER)
    }

    /// Sets a deadline; [`Time::NEVER`] removes it.
    #[inline]
    pub(super) fn set(&mut self, index: usize, at: Time) {
        if index >= self.0.len() / 2 {
            if at == Time::NEVER {
                return;
            }
            self.grow(index + 1);
        }
        let mut node = self.0.len() / 2 + index;
        self.0[node] = at;
        while node > 1 {
            node /= 2;
            let earliest = self.0[2 * node].min(self.0[2 * node + 1]);
            if std::mem::replace(&mut self.0[node], earliest) == earliest {
                break;
            }
        }
    }

    /// The lowest index whose deadline has come.
    pub(super) fn expired(&self, now: Time) -> Option<usize> {
        if self.next() > now {
            return None;
        }
        let mut node = 1;
        while node < self.0.len() / 2 {
            node *= 2;
            if self.0[node] > now {
                node += 1;
            }
        }
        Some(node - self.0.len() / 2)
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let before = self.0.len() / 2;
        let leaves = count.next_power_of_two().max(2);
        let mut tree = vec![Time::NEVER; 2 * leaves];
        tree[leaves..leaves + before].copy_from_slice(&self.0[before..]);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        self.0 = tree;
    }
}

/// Bits of a word.
const WORD: usize = 64;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_index_set_is_an_ordered_set(
            steps in prop::collection::vec((0_usize..20_000, any::<bool>()), 1..200),
            start in 0_usize..20_000,
        ) {
            let (mut set, mut model) = (IndexSet::default(), BTreeSet::new());
            for (index, stays) in steps {
                if stays {
                    set.insert(index);
                    model.insert(index);
                } else {
                    set.remove(index);
                    model.remove(&index);
                }
                let next = model.range(start..).next().copied();
                prop_assert_eq!(set.is_empty(), model.is_empty());
                prop_assert_eq!(set.first_from(start), next);
                prop_assert_eq!(set.first_around(start), next.or(model.first().copied()));
            }
        }

        #[test]
        fn the_next_deadline_is_the_earliest_one(
            steps in prop::collection::vec((0_usize..70, prop::option::of(0_u64..50)), 1..200),
        ) {
            let (mut due, mut model) = (Deadlines::default(), vec![Time::NEVER; 70]);
            for (index, at) in steps {
                let at = at.map_or(Time::NEVER, Time::from_nanos);
                due.set(index, at);
                model[index] = at;
                prop_assert_eq!(due.at(index), at);
                prop_assert_eq!(due.next(), *model.iter().min().unwrap());
                let now = Time::from_nanos(25);
                prop_assert_eq!(due.expired(now), model.iter().position(|at| *at <= now));
            }
        }
    }
}
