//! Messages at a constant bit rate: each is due when the transmission of the previous one at that rate would end.

use manypath_core::{Rate, Time};

/// A clock that advances by the exact transmission time of each message at a rate.
#[derive(Debug)]
pub(crate) struct Cbr {
    rate: Rate,
    due: Time,
    /// Fraction of a nanosecond, in units of 1 ns / rate in bit/s.
    remainder: u64,
}

impl Cbr {
    /// Messages at `rate`.
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, due: Time::NEVER, remainder: 0 }
    }

    /// The first message is due now.
    pub(crate) fn begin(&mut self, now: Time) {
        self.due = now;
    }

    /// When the next message is due. A message that is handed over late does not delay later ones.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// Advances by the transmission time of the next message of `length` bytes.
    #[inline]
    pub(crate) fn advance(&mut self, length: u32) {
        let (span, remainder) = self.rate.time_for_with(length.into(), self.remainder);
        self.due += span;
        self.remainder = remainder;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_messages_take_exactly_their_transmission_time() {
        let mut cbr = Cbr::new(Rate::from_bits_per_second(7_000_000));
        cbr.begin(Time::from_nanos(5));
        for number in 0..1_000_000 {
            cbr.advance(if number % 2 == 0 { 1000 } else { 501 });
        }
        let bits = 8 * (1000 + 501) * 500_000_u64;
        assert_eq!(cbr.due(), Time::from_nanos(5 + bits * 1000 / 7));
    }
}
