//! Latency of messages from the sending to the receiving application.

use std::cell::RefCell;

use hdrhistogram::Histogram;
use manypath_core::{Span, Time};

/// Latencies of the messages of a flow.
#[derive(Debug)]
pub(crate) struct Latencies {
    /// Messages that arrive after this time are measured.
    measure_from: Time,
    /// Messages that arrive after this time are only measured; [`Time::NEVER`] if a series is requested.
    plain_from: Time,
    warm_up: LatencySum,
    measured: LatencySum,
    /// The measured latencies in nanoseconds.
    histogram: Histogram<u32>,
    /// The longest of them.
    longest: Span,
    /// Latencies since the previous sample, if a series is requested. They are stored one by one, because a sample has
    /// few. Interior mutability, because samples have only shared access to the world.
    step: Option<Box<RefCell<Vec<Span>>>>,
}

/// Latencies of some messages, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LatencySum {
    pub(crate) messages: u64,
    pub(crate) nanoseconds: u128,
}

impl Latencies {
    /// No latency yet. Messages that arrive up to `measure_from` belong to the warm-up.
    pub(crate) fn new(measure_from: Time) -> Self {
        let mut histogram = Histogram::new_with_bounds(FINEST, COARSEST, DIGITS)
            .expect("the bounds are far enough apart");
        histogram.auto(true);
        Self {
            measure_from,
            plain_from: measure_from,
            warm_up: LatencySum::default(),
            measured: LatencySum::default(),
            histogram,
            longest: Span::ZERO,
            step: None,
        }
    }

    /// Enables [`Self::take_step`].
    pub(crate) fn keep_steps(&mut self) {
        self.plain_from = Time::NEVER;
        self.step = Some(Box::default());
    }

    /// A message with this latency arrived.
    #[inline]
    pub(crate) fn record(&mut self, now: Time, latency: Span) {
        if now <= self.plain_from {
            self.record_beside(now, latency);
        } else {
            self.measure(latency);
        }
    }

    /// Records a warm-up or series sample; free when neither is enabled.
    fn record_beside(&mut self, now: Time, latency: Span) {
        if let Some(step) = &mut self.step {
            step.get_mut().push(latency);
        }
        if now <= self.measure_from {
            self.warm_up.add(latency);
        } else {
            self.measure(latency);
        }
    }

    #[inline]
    fn measure(&mut self, latency: Span) {
        self.measured.add(latency);
        self.longest = self.longest.max(latency);
        self.histogram.record(latency.as_nanos()).expect("the histogram grows");
    }

    /// For each percentage, the latency that this share of the messages since the previous call did not exceed, in
    /// seconds; `None` if there was no message.
    pub(crate) fn take_step<const N: usize>(&self, percents: [usize; N]) -> [Option<f64>; N] {
        let Some(step) = &self.step else { return [None; N] };
        let mut step = step.borrow_mut();
        step.sort_unstable();
        let rank = |percent: usize| (percent * step.len()).div_ceil(100).checked_sub(1);
        let found = percents.map(|percent| rank(percent).map(|rank| step[rank].as_secs_f64()));
        step.clear();
        found
    }

    /// The sum of the latencies of all messages so far, warm-up included.
    pub(crate) fn sum(&self) -> LatencySum {
        LatencySum {
            messages: self.warm_up.messages + self.measured.messages,
            nanoseconds: self.warm_up.nanoseconds + self.measured.nanoseconds,
        }
    }

    /// The mean of the measured latencies in seconds; `None` if no message arrived.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.measured.mean()
    }

    /// A percentile of the measured latencies in seconds, to 0.1 %; `None` if no message arrived.
    pub(crate) fn percentile(&self, percent: f64) -> Option<f64> {
        // A bucket of the histogram may extend beyond its longest value.
        let value = || self.histogram.value_at_percentile(percent).min(self.longest.as_nanos());
        self.any().then(|| Span::from_nanos(value()).as_secs_f64())
    }

    /// The longest of the measured latencies in seconds; `None` if no message arrived.
    pub(crate) fn max(&self) -> Option<f64> {
        self.any().then(|| self.longest.as_secs_f64())
    }

    fn any(&self) -> bool {
        self.measured.messages > 0
    }
}

impl LatencySum {
    /// The mean in seconds; `None` without messages.
    pub(crate) fn mean(self) -> Option<f64> {
        (self.messages > 0).then(|| self.nanoseconds as f64 / self.messages as f64 / 1e9)
    }

    /// The difference from the earlier sum `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            messages: self.messages - before.messages,
            nanoseconds: self.nanoseconds - before.nanoseconds,
        }
    }

    #[inline]
    fn add(&mut self, latency: Span) {
        self.messages += 1;
        self.nanoseconds += u128::from(latency.as_nanos());
    }
}

/// Resolution of the histogram in nanoseconds.
const FINEST: u64 = 1_000;
/// Initial range of the histogram in nanoseconds, the smallest that it can have; it grows for longer latencies.
const COARSEST: u64 = 2 * FINEST;
/// Significant decimal digits of the histogram.
const DIGITS: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_latencies_have_the_mean_and_percentiles_that_one_counts_by_hand() {
        let mut latencies = Latencies::new(Time::from_nanos(5));
        latencies.record(Time::from_nanos(5), Span::from_secs(1000));
        for milliseconds in 1..=100 {
            latencies.record(Time::from_nanos(6), Span::from_millis(milliseconds));
        }
        assert_eq!(latencies.mean(), Some(0.0505));
        assert_eq!(latencies.max(), Some(0.1));
        for (percent, expected) in [(50.0, 0.050), (95.0, 0.095), (99.0, 0.099), (100.0, 0.1)] {
            let found = latencies.percentile(percent).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-3, "{percent} %: {found} s");
        }
        assert_eq!(latencies.sum().messages, 101);
    }

    #[test]
    fn each_step_has_percentiles_of_its_own_before_the_measured_time_and_in_it() {
        let mut latencies = Latencies::new(Time::from_nanos(5));
        latencies.keep_steps();
        for milliseconds in [7, 3, 5, 1] {
            latencies.record(Time::from_nanos(4), Span::from_millis(milliseconds));
        }
        assert_eq!(latencies.take_step([50, 75, 76]), [0.003, 0.005, 0.007].map(Some));
        latencies.record(Time::from_nanos(6), Span::from_millis(2));
        assert_eq!(latencies.take_step([1, 99]), [0.002, 0.002].map(Some));
        assert_eq!(latencies.take_step([50]), [None]);
        assert_eq!((latencies.mean(), latencies.sum().messages), (Some(0.002), 5));
    }

    #[test]
    fn without_a_message_there_is_no_latency() {
        let latencies = Latencies::new(Time::ZERO);
        assert_eq!(
            (latencies.mean(), latencies.percentile(50.0), latencies.max()),
            (None, None, None)
        );
    }

    #[test]
    fn minutes_are_measured_as_well_as_milliseconds() {
        let mut latencies = Latencies::new(Time::ZERO);
        latencies.record(Time::from_nanos(1), Span::from_secs(3600));
        assert_eq!(latencies.percentile(50.0), Some(3600.0));
        assert_eq!(latencies.max(), Some(3600.0));
    }
}
