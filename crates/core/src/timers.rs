//! A fixed table of timers. Most timers are postponed before they expire.

use crate::Time;

/// `N` timers, identified by their index. Setting and reading do not allocate.
#[derive(Clone, Debug)]
pub struct TimerTable<const N: usize> {
    due: [Time; N],
    /// Lower bound of all due times. The earliest timer is searched only when this instant has come, not at each
    /// postponement. In a small table this is the earliest due time.
    not_before: Time,
    /// One bit for each timer that is set.
    set: u64,
}

impl<const N: usize> TimerTable<N> {
    /// A table in which no timer is set.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N <= u64::BITS as usize, "a table has a bit for each timer") };
        Self { due: [Time::NEVER; N], not_before: Time::NEVER, set: 0 }
    }

    /// Whether the search of all due times takes little time.
    const IS_SMALL: bool = N <= 4;

    /// Sets timer `index` to `at` and replaces its previous due time.
    #[inline]
    pub fn set(&mut self, index: usize, at: Time) {
        self.due[index] = at;
        if Self::IS_SMALL {
            self.not_before = self.due.iter().copied().fold(Time::NEVER, Time::min);
            return;
        }
        let bit = 1 << index;
        self.set = if at == Time::NEVER { self.set & !bit } else { self.set | bit };
        self.not_before = self.not_before.min(at);
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
    #[inline]
    #[must_use]
    pub fn next(&self) -> Time {
        if Self::IS_SMALL {
            return self.not_before;
        }
        self.all_set().map(|index| self.due[index]).fold(Time::NEVER, Time::min)
    }

    /// Whether a timer may be due before `at`. A cheap check that may return true without need.
    #[inline]
    #[must_use]
    pub fn may_expire_before(&self, at: Time) -> bool {
        self.not_before < at
    }

    /// The earliest timer that is due at `now`; the lowest index among timers with the same due time.
    ///
    /// The timer stays set. The caller cancels it or sets it again.
    #[must_use]
    pub fn expired(&mut self, now: Time) -> Option<usize> {
        if self.not_before > now {
            return None;
        }
        self.not_before = self.next();
        if self.not_before > now || self.not_before == Time::NEVER {
            return None;
        }
        self.due.iter().position(|due| *due == self.not_before)
    }

    /// All timers that are set, in ascending order of their indices.
    fn all_set(&self) -> impl Iterator<Item = usize> + use<N> {
        let mut left = self.set;
        std::iter::from_fn(move || {
            let index = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (index < u64::BITS).then_some(index as usize)
        })
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
    use crate::Span;
    use proptest::prelude::*;

    #[test]
    fn timers_expire_in_the_order_of_their_due_times() {
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

    fn check<const N: usize>(steps: &[(usize, Option<u64>)]) -> Result<(), TestCaseError> {
        let mut timers = TimerTable::<N>::new();
        for &(index, at) in steps {
            match at {
                Some(at) => timers.set(index % N, Time::from_nanos(at)),
                None => timers.cancel(index % N),
            }
            let earliest = (0..N).map(|i| timers.at(i)).min().unwrap();
            let lowest = (0..N).find(|&i| timers.at(i) == earliest && timers.is_set(i));
            prop_assert_eq!(timers.next(), earliest);
            prop_assert!(
                timers.may_expire_before(earliest + Span::from_nanos(1)) || lowest.is_none()
            );
            let (mut asked, now) = (timers.clone(), Time::from_nanos(25));
            prop_assert_eq!(asked.expired(now), lowest.filter(|_| earliest <= now));
            prop_assert!(earliest <= now || !asked.may_expire_before(now));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn next_is_always_the_minimum(steps in prop::collection::vec((0usize..6, prop::option::of(0u64..50)), 1..60)) {
            check::<2>(&steps)?;
            check::<6>(&steps)?;
        }
    }
}
