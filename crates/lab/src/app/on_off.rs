//! Messages at a constant rate while the application is active, and silence in between.

use manypath_core::{Random, Rate, Span, Time};

use super::cbr::Cbr;

/// A clock like [`Cbr`]'s that stops during pauses. The lengths of active periods and pauses are exponentially
/// distributed.
#[derive(Debug)]
pub(crate) struct OnOff {
    /// The clock without the pauses.
    active: Cbr,
    /// When the active period ends on that clock.
    active_until: Time,
    /// All pauses so far.
    paused: Span,
    on: Span,
    off: Span,
    random: Random,
}

impl OnOff {
    /// Messages at `rate`, for `on` at a time on average, with pauses of `off` on average.
    pub(crate) fn new(rate: Rate, on: Span, off: Span, random: Random) -> Self {
        Self {
            active: Cbr::new(rate),
            active_until: Time::ZERO,
            paused: Span::ZERO,
            on,
            off,
            random,
        }
    }

    /// An active period begins now.
    pub(crate) fn begin(&mut self, now: Time) {
        self.active.begin(now);
        self.active_until = now + exponential(self.on, &mut self.random);
    }

    /// When the next message is due. A message that is handed over late does not delay later ones.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.active.due() + self.paused
    }

    /// Advances by the transmission time of the next message of `length` bytes.
    #[inline]
    pub(crate) fn advance(&mut self, length: u32) {
        self.active.advance(length);
        while self.active.due() >= self.active_until {
            self.paused += exponential(self.off, &mut self.random);
            self.active_until += exponential(self.on, &mut self.random);
        }
    }
}

/// An exponentially distributed time, at least a nanosecond.
fn exponential(mean: Span, random: &mut Random) -> Span {
    let span = Span::from_secs_f64(-mean.as_secs_f64() * libm::log(1.0 - random.unit()));
    span.max(Span::from_nanos(1))
}

#[cfg(test)]
mod tests {
    use manypath_core::Streams;

    use super::*;

    #[test]
    fn the_rate_over_long_times_is_the_share_of_the_active_ones() {
        let (on, off) = (Span::from_millis(200), Span::from_millis(600));
        let random = Streams::new(1, 0).stream("on-off");
        let mut on_off = OnOff::new(Rate::from_bits_per_second(8_000_000), on, off, random);
        on_off.begin(Time::ZERO);
        let messages = 4_000_000;
        for _ in 0..messages {
            on_off.advance(1000);
        }
        let rate = 8_000.0 * f64::from(messages) / on_off.due().as_secs_f64();
        assert!((rate / 2e6 - 1.0).abs() < 0.03, "{rate} bit/s");
    }

    #[test]
    fn within_a_period_the_rate_is_constant() {
        let random = Streams::new(1, 0).stream("on-off");
        let (on, off) = (Span::from_secs(1000), Span::from_secs(1));
        let mut on_off = OnOff::new(Rate::from_bits_per_second(8_000_000), on, off, random);
        on_off.begin(Time::ZERO);
        for number in 1..=1000 {
            on_off.advance(1000);
            assert_eq!(on_off.due(), Time::ZERO + Span::from_millis(number));
        }
    }
}
