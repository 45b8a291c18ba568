//! A fixed table of timers that knows the earliest one.

use crate::Time;

/// `N` timers, each named by its index; setting and reading allocate nothing.
#[derive(Clone, Debug)]
pub struct TimerTable<const N: usize> {
    due: [Time; N],
    next: Time,
}

impl<const N: usize> TimerTable<N> {
    /// A table in which no timer is set.
    #[must_use]
    pub const fn new() -> Self {
        Self { due: [Time::NEVER; N], next: Time::NEVER }
    }

    /// Sets timer `index` to `at`, whether it was set before or not.
    pub fn set(&mut self, index: usize, at: Time) {
        let before = std::mem::replace(&mut self.due[index], at);
        if at <= self.next {
            self.next = at;
        } else if before == self.next {
            self.next = self.earliest();
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
        self.next
    }

    /// The earliest timer that is due at `now`, the lowest index among equals.
    ///
    /// It stays set: whoever handles it cancels it or sets it again.
    #[must_use]
    pub fn expired(&self, now: Time) -> Option<usize> {
        if self.next > now || self.next == Time::NEVER {
            return None;
        }
        self.due.iter().position(|&at| at == self.next)
    }

    fn earliest(&self) -> Time {
        self.due.iter().copied().min().unwrap_or(Time::NEVER)
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
                prop_assert_eq!(timers.next(), (0..4).map(|i| timers.at(i)).min().unwrap());
            }
        }
    }
}
