//! Integrals over time, from which means over time follow.

use crate::time::Time;

/// The integral over time of a number that changes at known instants.
///
/// Its growth between two instants, divided by the nanoseconds between them, is the mean of the number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integral {
    value: u64,
    /// Since when the number has this value.
    since: Time,
    /// The integral until then, in units of the number times nanoseconds.
    area: u128,
}

impl Integral {
    /// The number now.
    #[must_use]
    #[inline]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Sets the number from `now` on, which is not before the last change.
    #[inline]
    pub fn set(&mut self, now: Time, value: u64) {
        if value != self.value {
            *self = Self { value, since: now, area: self.until(now) };
        }
    }

    /// The integral from the beginning until `now`, which is not before the last change.
    #[must_use]
    #[inline]
    pub fn until(&self, now: Time) -> u128 {
        let span = now.saturating_since(self.since).as_nanos();
        self.area + u128::from(self.value) * u128::from(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_the_area_below_the_number() {
        let at = Time::from_nanos;
        let mut integral = Integral::default();
        for (nanos, value) in [(1_000, 0), (2_000, 100), (2_500, 300), (2_600, 300), (2_700, 50)] {
            integral.set(at(nanos), value);
        }
        assert_eq!(integral.value(), 50);
        assert_eq!(integral.until(at(2_700)), 100 * 500 + 300 * 200);
        assert_eq!(integral.until(at(2_900)), 100 * 500 + 300 * 200 + 50 * 200);
    }
}
