//! Smoothed round-trip time and retransmission timeout (RFC 9260 §6.3.1, RFC 6298 §2).

use crate::Span;

/// The bounds of the retransmission timeout, and the rule that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RtoLimits {
    /// RTO.Initial: the timeout before the first sample.
    pub initial: Span,
    /// RTO.Min: lower bound of the timeout. With [`RtoRule::Linux`] it also bounds the margin above SRTT.
    pub min: Span,
    /// RTO.Max: upper bound of the timeout.
    pub max: Span,
    /// G, the clock granularity: lower bound of RTTVAR with [`RtoRule::Standard`].
    ///
    /// Unlike RFC 9260 §6.3.1 G1: G replaces every smaller RTTVAR, not only zero, because RTTVAR is in nanoseconds; in
    /// whole units of G such a value is zero.
    pub granularity: Span,
    /// The rule that computes the timeout from RTT samples.
    pub rule: RtoRule,
}

/// The rule that computes the timeout from RTT samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RtoRule {
    /// SRTT plus a margin, which follows the largest deviation of each round and is at least `min`.
    Linux,
    /// SRTT + 4·RTTVAR, but at least `min`. RFC 6298 §2
    #[cfg_attr(feature = "serde", serde(rename = "rfc6298"))]
    Standard,
}

/// Estimates the round-trip time of one path and derives its retransmission timeout.
///
/// [`RtoRule::Standard`] is the rule of RFC 6298 §2 and RFC 9260 §6.3.1. [`RtoRule::Linux`] is the rule of
/// `tcp_rtt_estimator` in `net/ipv4/tcp_input.c`. The standard rule assumes one sample per round trip. Linux takes one
/// sample per acknowledgement, so RTTVAR loses earlier deviations within one flight. Linux's rule differs in three points:
///
/// - The margin above SRTT rises at once to each 4·RTTVAR that exceeds it. If all values of a round stayed below the
///   margin, the margin falls at the end of the round by a quarter of its distance to the largest of them.
/// - A sample below SRTT that deviates by more than RTTVAR raises RTTVAR with a gain of 1/32 instead of 1/4, because a
///   path that becomes faster does not need a longer timeout.
/// - RTO.Min also bounds the margin. With a constant round-trip time RTTVAR becomes 0, and the timeout is SRTT + RTO.Min
///   instead of SRTT, so it does not expire spuriously.
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    limits: RtoLimits,
    srtt: Option<Span>,
    rttvar: Span,
    /// The part of the timeout that is added to SRTT.
    margin: Span,
    /// The largest 4·RTTVAR of the current round; used by [`RtoRule::Linux`] only.
    peak: Span,
    rto: Span,
}

impl RtoLimits {
    /// The values of RFC 9260 §16: 1 s, 1 s, 60 s.
    pub const RFC9260: Self = Self {
        initial: Span::from_secs(1),
        min: Span::from_secs(1),
        max: Span::from_secs(60),
        granularity: Span::ZERO,
        rule: RtoRule::Standard,
    };
    /// The values of RFC 4960 §15: 3 s, 1 s, 60 s.
    pub const RFC4960: Self = Self { initial: Span::from_secs(3), ..Self::RFC9260 };
}

impl RttEstimator {
    /// An estimator without a sample.
    #[must_use]
    pub const fn new(limits: RtoLimits) -> Self {
        Self {
            limits,
            srtt: None,
            rttvar: Span::ZERO,
            margin: Span::ZERO,
            peak: Span::ZERO,
            rto: limits.initial,
        }
    }

    /// Takes one measurement and undoes any back-off. The caller omits retransmitted packets (Karn's algorithm).
    pub fn sample(&mut self, rtt: Span) {
        match self.srtt {
            None => {
                self.srtt = Some(rtt);
                self.rttvar = rtt / 2;
            }
            Some(srtt) => {
                let deviation = Span::from_nanos(srtt.as_nanos().abs_diff(rtt.as_nanos()));
                let falls = rtt < srtt && deviation > self.rttvar;
                let gain = if falls && self.limits.rule == RtoRule::Linux { 32 } else { 4 };
                self.rttvar = (self.rttvar * (gain - 1) + deviation) / gain;
                self.srtt = Some((srtt * 7 + rtt) / 8);
            }
        }
        match self.limits.rule {
            RtoRule::Standard => {
                self.rttvar = self.rttvar.max(self.limits.granularity);
                self.margin = self.rttvar * 4;
            }
            RtoRule::Linux => {
                self.peak = self.peak.max(self.rttvar * 4).max(self.limits.min);
                self.margin = self.margin.max(self.peak);
            }
        }
        self.set_rto();
    }

    /// Ends a round: all data that was outstanding at the previous call has been acknowledged. Call
    /// [`sample`](Self::sample) first. Has no effect with [`RtoRule::Standard`].
    #[inline]
    pub fn end_round(&mut self) {
        if self.limits.rule == RtoRule::Linux {
            self.margin = self.margin - (self.margin - self.peak) / 4;
            self.peak = self.limits.min;
            self.set_rto();
        }
    }

    /// Replaces the bounds and the rule, and undoes any back-off. RTTVAR and the margin change with the next sample.
    pub fn set_limits(&mut self, limits: RtoLimits) {
        self.limits = limits;
        match self.srtt {
            Some(_) => self.set_rto(),
            None => self.rto = limits.initial,
        }
    }

    fn set_rto(&mut self) {
        let raw = self.srtt.unwrap_or_default() + self.margin;
        self.rto = raw.clamp(self.limits.min, self.limits.max);
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[must_use]
    pub const fn srtt(&self) -> Option<Span> {
        self.srtt
    }

    /// The mean deviation of the round-trip time; zero before the first sample.
    #[must_use]
    pub const fn rttvar(&self) -> Span {
        self.rttvar
    }

    /// The retransmission timeout, with back-off.
    #[must_use]
    pub const fn rto(&self) -> Span {
        self.rto
    }

    /// Doubles the timeout, up to RTO.Max (RFC 9260 §6.3.3 E2).
    pub fn back_off(&mut self) {
        self.rto = self.rto.saturating_mul(2).min(self.limits.max);
    }

    /// The configured limits.
    #[must_use]
    pub const fn limits(&self) -> RtoLimits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNCLAMPED: RtoLimits = RtoLimits { min: Span::ZERO, ..RtoLimits::RFC4960 };

    fn linux(min: Span) -> RttEstimator {
        RttEstimator::new(RtoLimits { min, rule: RtoRule::Linux, ..RtoLimits::RFC9260 })
    }

    #[test]
    fn three_samples_have_calculated_results() {
        let mut rtt = RttEstimator::new(UNCLAMPED);
        let mut clamped = RttEstimator::new(RtoLimits::RFC9260);
        let by_hand = [
            (200, 200_000_000, 100_000_000, 600_000_000),
            (300, 212_500_000, 100_000_000, 612_500_000),
            (100, 198_437_500, 103_125_000, 610_937_500),
        ];
        for (sample_ms, srtt, rttvar, rto) in by_hand {
            rtt.sample(Span::from_millis(sample_ms));
            clamped.sample(Span::from_millis(sample_ms));
            assert_eq!(rtt.srtt(), Some(Span::from_nanos(srtt)));
            assert_eq!(rtt.rttvar(), Span::from_nanos(rttvar));
            assert_eq!(rtt.rto(), Span::from_nanos(rto));
            assert_eq!(clamped.rto(), Span::from_secs(1));
        }
    }

    #[test]
    fn timeouts_double_up_to_the_maximum_until_a_sample_is_taken() {
        let mut rtt = RttEstimator::new(RtoLimits::RFC9260);
        let timeouts: Vec<_> = (0..8)
            .map(|_| {
                rtt.back_off();
                rtt.rto().as_nanos() / 1_000_000_000
            })
            .collect();
        assert_eq!(timeouts, [2, 4, 8, 16, 32, 60, 60, 60]);

        rtt.sample(Span::from_millis(20));
        assert_eq!(rtt.rto(), Span::from_secs(1));
    }

    #[test]
    fn the_clock_granularity_is_the_lower_bound_of_the_deviation() {
        let granularity = Span::from_millis(10);
        let mut coarse = RttEstimator::new(RtoLimits { granularity, ..RtoLimits::RFC9260 });
        let mut exact = RttEstimator::new(RtoLimits::RFC9260);
        for _ in 0..200 {
            coarse.sample(Span::from_millis(1200));
            exact.sample(Span::from_millis(1200));
        }
        assert_eq!((coarse.rttvar(), coarse.rto()), (granularity, Span::from_millis(1240)));
        assert_eq!((exact.rttvar(), exact.rto()), (Span::ZERO, Span::from_millis(1200)));
    }

    #[test]
    fn with_a_constant_round_trip_time_the_margin_is_rto_min() {
        let mut rtt = linux(Span::from_millis(200));
        for _ in 0..200 {
            rtt.sample(Span::from_millis(300));
            rtt.end_round();
        }
        // The margin approaches its bound in whole nanoseconds
        assert_eq!(rtt.rttvar(), Span::ZERO);
        assert!(rtt.rto() - Span::from_millis(500) < Span::from_nanos(4), "{}", rtt.rto());
    }

    #[test]
    fn the_largest_deviation_of_a_round_is_kept_until_its_end_and_then_decays() {
        let mut rtt = linux(Span::from_millis(40));
        let margin = |rtt: &RttEstimator| rtt.rto() - rtt.srtt().unwrap();
        // The first sample R gives a margin of 4·R/2
        rtt.sample(Span::from_millis(100));
        assert_eq!(margin(&rtt), Span::from_millis(200));
        for _ in 0..100 {
            rtt.sample(Span::from_millis(100));
        }
        assert_eq!(
            margin(&rtt),
            Span::from_millis(200),
            "samples within a round do not reduce the margin"
        );
        rtt.end_round();
        assert_eq!(margin(&rtt), Span::from_millis(200), "it was the largest of this round");
        // From 200 ms towards the 40 ms of the next rounds, a quarter of the difference per round: 160, 130, 107.5
        for expected_us in [160_000, 130_000, 107_500] {
            rtt.sample(Span::from_millis(100));
            rtt.end_round();
            assert_eq!(margin(&rtt), Span::from_micros(expected_us));
        }
    }

    #[test]
    fn a_decreasing_round_trip_time_hardly_raises_the_timeout() {
        let after = |sample: u64| {
            let mut rtt = linux(Span::ZERO);
            for _ in 0..200 {
                rtt.sample(Span::from_millis(320));
                rtt.end_round();
            }
            rtt.sample(Span::from_millis(sample));
            rtt.rttvar()
        };
        // A deviation of 320 ms in each direction: 320/4 and 320/32
        assert_eq!(after(640), Span::from_millis(80));
        assert_eq!(after(0), Span::from_millis(10));
    }

    #[test]
    fn new_limits_apply_to_the_timeout_immediately() {
        let mut rtt = RttEstimator::new(RtoLimits::RFC9260);
        let limits = |initial, min, max| RtoLimits {
            initial: Span::from_millis(initial),
            min: Span::from_millis(min),
            max: Span::from_millis(max),
            ..RtoLimits::RFC9260
        };
        rtt.set_limits(limits(700, 100, 900));
        assert_eq!(rtt.rto(), Span::from_millis(700));
        rtt.sample(Span::from_millis(20));
        assert_eq!(rtt.rto(), Span::from_millis(100));
        rtt.set_limits(limits(700, 200, 900));
        assert_eq!(rtt.rto(), Span::from_millis(200));
    }
}
