//! A fixed table of timers that knows the earliest one.

use crate::Time;

/// `N` timers, each named by its index; setting and reading allocate nothing.
#[derive(Clone, Debug)]
pub struct TimerTable<const N: usize> {
    due: [Time; N],
    /// The earliest timer, the lowest index among equals.
    first: usize,
    /// Timers from this index on were never set.
    used: usize,
}

impl<const N: usize> TimerTable<N> {
    /// A table in which no timer is set.
    #[must_use]
    pub const fn new() -> Self {
        Self { due: [Time::NEVER; N], first: 0, used: 0 }
    }

    /// Sets timer `index` to `at`, whether it was set before or not.
    pub fn set(&mut self, index: usize, at: Time) {
        self.used = self.used.max(index + 1);
        let first_at = self.next();
        self.due[index] = at;
        if index == self.first {
            if at > first_at {
                self.first = self.earliest();
            }
        } else if at < first_at || (at == first_at && index < self.first) {
            self.first = index;
        }
    }

    /// Stops timer `index`.
    pub fn cancel(&mut self, index: usize) {
        self.set(index, Time::NEVER);
    }

    /// Whether timer `index` is set.
    #[must_use]
    pub fn is_set(&self, index: usize) -> bool {
        self.due[index] != Time::NEVER
    }

    /// When timer `index` is due; [`Time::NEVER`] if it is not set.
    #[must_use]
    pub fn at(&self, index: usize) -> Time {
        self.due[index]
    }

    /// When the earliest timer is due; [`Time::NEVER`] if none is set.
    #[must_use]
    pub const fn next(&self) -> Time {
        self.due[self.first]
    }

    /// The earliest timer that is due at `now`, the lowest index among equals.
    ///
    /// It stays set: whoever handles it cancels it or sets it again.
    #[must_use]
    pub fn expired(&self, now: Time) -> Option<usize> {
        let at = self.next();
        (at <= now && at != Time::NEVER).then_some(self.first)
    }

    fn earliest(&self) -> usize {
        let used = self.due[..self.used].iter().enumerate();
        used.min_by_key(|&(_, at)| at).map_or(0, |(index, _)| index)
    }
}

impl<const N: usize> Default for TimerTable<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn timers_expire_in_the_order_of_their_times() {
        let mut timers = TimerTable::<3>::new();
        timers.set(2, Time::from_nanos(10));
        timers.set(0, Time::from_nanos(30));
        timers.set(1, Time::from_nanos(10));
        assert_eq!(timers.expired(Time::from_nanos(9)), None);

        let mut order = Vec::new();
        while let Some(timer) = timers.expired(Time::from_nanos(40)) {
            order.push(timer);
            timers.cancel(timer);
        }
        assert_eq!(order, [1, 2, 0]);
        assert_eq!(timers.next(), Time::NEVER);
        assert_eq!(timers.expired(Time::NEVER), None);
    }

    proptest! {
        #[test]
        fn next_is_always_the_minimum(steps in prop::collection::vec((0usize..4, prop::option::of(0u64..50)), 1..60)) {
            let mut timers = TimerTable::<4>::new();
            for (index, at) in steps {
                match at {
                    Some(at) => timers.set(index, Time::from_nanos(at)),
                    None => timers.cancel(index),
                }
                let earliest = (0..4).map(|i| timers.at(i)).min().unwrap();
                let lowest = (0..4).find(|&i| timers.at(i) == earliest && timers.is_set(i));
                prop_assert_eq!(timers.next(), earliest);
                prop_assert_eq!(timers.expired(Time::from_nanos(50)), lowest);
            }
        }
    }
}
