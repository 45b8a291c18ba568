//! The lateness of packets: percentiles, and the share of packets above the bound.

use hdrhistogram::Histogram;
use manypath_core::Span;

use crate::config::Bounds;
use crate::report::LatenessReport;

/// The time from the instant at which a packet was due to its delivery to the host.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram<u64>,
    bounds: Bounds,
    late: u64,
    latest: Span,
}

impl Lateness {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS);
        Self {
            histogram: histogram.expect("bounds that make sense"),
            bounds,
            late: 0,
            latest: Span::ZERO,
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, lateness: Span) {
        self.histogram.saturating_record(lateness.as_nanos());
        self.late += u64::from(lateness > self.bounds.late);
        self.latest = self.latest.max(lateness);
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

    /// The reasons for which the run is not reliable, one line each.
    pub(crate) fn marks(&self) -> Vec<String> {
        self.too_many().into_iter().chain(self.standstill()).collect()
    }

    /// The mark if more packets than allowed were late.
    fn too_many(&self) -> Option<String> {
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

    /// The mark if the router stopped for a time that makes few packets late, but in which timers of hosts may expire.
    fn standstill(&self) -> Option<String> {
        let latest = self.latest.as_secs_f64();
        (self.latest > STANDSTILL)
            .then(|| format!("a packet left {latest:.3} s late: the emulator stood still"))
    }
}

/// The largest lateness without a mark: about half of the shortest retransmission timeout of Linux's TCP.
const STANDSTILL: Span = Span::from_millis(100);
/// One minute in nanoseconds.
const LONGEST: u64 = 60_000_000_000;
/// Percentiles have an error of at most one percent.
const DIGITS: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_too_many_late_packets_is_marked() {
        let bounds = Bounds { late: Span::from_millis(2), share: 0.1 };
        let mut lateness = Lateness::new(bounds);
        assert!(lateness.marks().is_empty(), "nothing was late when nothing was sent");
        for packet in 0..100 {
            lateness.record(Span::from_millis(if packet < 10 { 3 } else { 2 }));
        }
        assert!(lateness.marks().is_empty(), "two milliseconds are not more than two");
        lateness.record(Span::from_millis(50));
        let marks = lateness.marks();
        assert_eq!(marks, ["10.89 % of 101 packets left more than 2 ms late, 10 % may"]);
        let report = lateness.report();
        assert_eq!((report.packets, report.late), (101, 11));
        assert!((report.median - 2e-3).abs() < 3e-5 && (report.max - 50e-3).abs() < 6e-4);
    }

    #[test]
    fn a_run_with_a_long_stop_of_the_router_is_marked_despite_few_late_packets() {
        let bounds = Bounds { late: Span::from_millis(2), share: 0.01 };
        let mut lateness = Lateness::new(bounds);
        for _ in 0..100_000 {
            lateness.record(Span::from_micros(30));
        }
        lateness.record(Span::from_millis(100));
        assert!(lateness.marks().is_empty(), "a tenth of a second is not more than that");
        lateness.record(Span::from_millis(2_005));
        assert_eq!(lateness.marks(), ["a packet left 2.005 s late: the emulator stood still"]);
    }
}
