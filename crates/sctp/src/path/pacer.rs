//! The departure times of the packets of a path with pacing. RFC 9002 §7.7

use manypath_core::{Span, Time};

/// The departure times of a path's packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    /// The departure time of the next packet by the rate. It may be in the past by at most the burst allowance.
    next: Time,
}

/// The values that determine the rate of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Congestion window, in bytes.
    pub(crate) window: u64,
    /// Smoothed round-trip time.
    pub(crate) srtt: Span,
    /// Whether the window grows by slow start.
    pub(crate) in_slow_start: bool,
}

impl Pace {
    /// The time for `bytes` bytes at this rate.
    fn interval(self, bytes: u64) -> Span {
        let percent = if self.in_slow_start { SLOW_START } else { AVOIDANCE };
        let time = u128::from(bytes) * u128::from(self.srtt.as_nanos()) * 100;
        let interval = time / u128::from(self.window.max(1) * percent);
        Span::from_nanos(u64::try_from(interval).unwrap_or(u64::MAX)).min(self.srtt)
    }
}

impl Pacer {
    /// Whether the next packet must wait.
    #[inline]
    pub(crate) fn holds(&self, now: Time) -> bool {
        self.next > now
    }

    /// The departure time of a packet that must wait.
    pub(crate) fn due(&self) -> Time {
        self.next
    }

    /// Records the departure of a packet of `bytes` bytes, as the congestion window counts them.
    ///
    /// A path that was idle, or whose timer was late, sends at most its burst allowance at once.
    pub(crate) fn sent(&mut self, now: Time, bytes: u64, pace: Pace) {
        let interval = pace.interval(bytes);
        let allowance = MOST_LATE.max(interval * (BURST - 1));
        let earliest = Time::ZERO + now.saturating_since(Time::ZERO + allowance);
        self.next = self.next.max(earliest) + interval;
    }
}

/// Percent of a window per round trip in slow start, in which the window doubles. Linux has the same value in
/// `net.ipv4.tcp_pacing_ss_ratio`.
const SLOW_START: u64 = 200;
/// Percent of a window per round trip otherwise. RFC 9002 §7.7 has N = 1.25
const AVOIDANCE: u64 = 125;
/// Packets that may always be sent at once: a SACK for two packets allows two, and one more if the window grows.
const BURST: u64 = 3;
/// A timer that is late by at most this does not lower the rate. The timers of runtimes tick once per millisecond.
const MOST_LATE: Span = Span::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 packets of 1,000 bytes in 100 ms, less a fifth.
    const PACE: Pace = Pace { window: 100_000, srtt: Span::from_millis(100), in_slow_start: false };

    fn at(micros: u64) -> Time {
        Time::ZERO + Span::from_secs(1) + Span::from_micros(micros)
    }

    /// The departure time of each packet in microseconds, if the timer is late by `late`.
    fn departures(pacer: &mut Pacer, count: usize, late: u64, pace: Pace) -> Vec<u64> {
        let mut now = at(0);
        let mut left = Vec::new();
        while left.len() < count {
            if pacer.holds(now) {
                now = pacer.due() + Span::from_micros(late);
            } else {
                pacer.sent(now, 1000, pace);
                left.push((now - at(0)).as_nanos() / 1000);
            }
        }
        left
    }

    #[test]
    fn a_window_takes_four_fifths_of_a_round_trip_and_half_of_one_in_slow_start() {
        // At the beginning the burst allowance of 2 ms lets packets depart at once
        let left = departures(&mut Pacer::default(), 7, 0, PACE);
        assert_eq!(left, [0, 0, 0, 400, 1200, 2000, 2800]);
        let slow_start = Pace { in_slow_start: true, ..PACE };
        let left = departures(&mut Pacer::default(), 8, 0, slow_start);
        assert_eq!(left, [0, 0, 0, 0, 0, 500, 1000, 1500]);
    }

    #[test]
    fn a_timer_that_is_late_does_not_lower_the_rate() {
        for srtt in [1, 10, 100, 1000].map(Span::from_millis) {
            let pace = Pace { srtt, ..PACE };
            let exact = *departures(&mut Pacer::default(), 500, 0, pace).last().unwrap();
            let late = *departures(&mut Pacer::default(), 500, 1000, pace).last().unwrap();
            assert!(late <= exact + 1500, "{srtt:?}: {late} and {exact}");
        }
    }

    #[test]
    fn an_idle_path_saves_up_at_most_one_burst() {
        let mut pacer = Pacer::default();
        departures(&mut pacer, 50, 0, PACE);
        let later = at(60_000_000);
        let mut burst = 0;
        while !pacer.holds(later) {
            pacer.sent(later, 1000, PACE);
            burst += 1;
        }
        assert_eq!(burst, 3);
    }

    #[test]
    fn no_interval_is_longer_than_a_round_trip() {
        let pace = Pace { window: 1, srtt: Span::from_secs(60), in_slow_start: false };
        let mut pacer = Pacer::default();
        pacer.sent(at(0), 65_535, pace);
        assert!(pacer.next <= at(0) + pace.srtt);
    }
}
