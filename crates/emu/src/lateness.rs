//! How late packets left: percentiles, and the share that was too late.

use hdrhistogram::Histogram;
use manypath_core::Span;

use crate::config::Bounds;
use crate::report::LatenessReport;

/// The time from the instant at which a packet was due to the one at which its host had it.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram<u64>,
    bounds: Bounds,
    late: u64,
}

impl Lateness {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS);
        Self { histogram: histogram.expect("bounds that make sense"), bounds, late: 0 }
    }

    #[inline]
    pub(crate) fn record(&mut self, lateness: Span) {
        self.histogram.saturating_record(lateness.as_nanos());
        self.late += u64::from(lateness > self.bounds.late);
    }

    pub(crate) fn report(&self) -> LatenessReport {
        let packets = self.histogram.len();
        let quantile = |q| self.histogram.value_at_quantile(q) as f64 / 1e9;
        let at = |q| if packets == 0 { 0.0 } else { quantile(q) };
        LatenessReport {
            packets,
            late: self.late,
            bound: self.bounds.late.as_secs_f64(),
            median: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
        }
    }

    /// Why the run is not to be trusted, if so.
    pub(crate) fn mark(&self) -> Option<String> {
        let (late, packets) = (self.late, self.histogram.len());
        let is_bad = late as f64 > self.bounds.share * packets as f64;
        is_bad.then(|| {
            let share = 100.0 * late as f64 / packets as f64;
            let (bound, allowed) = (self.bounds.late, 100.0 * self.bounds.share);
            format!(
                "{share:.2} % of {packets} packets left more than {bound} late, {allowed} % may"
            )
        })
    }
}

/// One minute in nanoseconds.
const LONGEST: u64 = 60_000_000_000;
/// Percentiles are right to one per cent.
const DIGITS: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_too_many_late_packets_marks_itself() {
        let bounds = Bounds { late: Span::from_millis(2), share: 0.1 };
        let mut lateness = Lateness::new(bounds);
        assert_eq!(lateness.mark(), None, "nothing was late when nothing was sent");
        for packet in 0..100 {
            lateness.record(Span::from_millis(if packet < 10 { 3 } else { 2 }));
        }
        assert_eq!(lateness.mark(), None, "two milliseconds are not more than two");
        lateness.record(Span::from_millis(50));
        let mark = lateness.mark().expect("11 of 101");
        assert!(mark.starts_with("10.89 % of 101 packets left more than 2 ms late"), "{mark}");
        let report = lateness.report();
        assert_eq!((report.packets, report.late), (101, 11));
        assert!((report.median - 2e-3).abs() < 3e-5 && (report.max - 50e-3).abs() < 6e-4);
    }
}
