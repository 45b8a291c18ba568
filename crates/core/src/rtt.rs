//! Smoothed round-trip time and retransmission timeout (RFC 9260 §6.3.1, RFC 6298 §2).

use crate::Span;

/// The three constants that bound a retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RtoLimits {
    /// RTO.Initial: the timeout before the first sample.
    pub initial: Span,
    /// RTO.Min: no timeout is shorter.
    pub min: Span,
    /// RTO.Max: no timeout is longer.
    pub max: Span,
}

/// Estimates the round-trip time of one path and derives its retransmission timeout.
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    limits: RtoLimits,
    srtt: Option<Span>,
    rttvar: Span,
    rto: Span,
}

impl RtoLimits {
    /// The values of RFC 9260 §16: 1 s, 1 s, 60 s.
    pub const RFC9260: Self =
        Self { initial: Span::from_secs(1), min: Span::from_secs(1), max: Span::from_secs(60) };
    /// The values of RFC 4960 §15: 3 s, 1 s, 60 s.
    pub const RFC4960: Self =
        Self { initial: Span::from_secs(3), min: Span::from_secs(1), max: Span::from_secs(60) };
}

impl RttEstimator {
    /// An estimator without a sample.
    #[must_use]
    pub const fn new(limits: RtoLimits) -> Self {
        Self { limits, srtt: None, rttvar: Span::ZERO, rto: limits.initial }
    }

    /// Takes one measurement; the caller leaves out retransmitted packets (Karn). Undoes any back-off.
    pub fn sample(&mut self, rtt: Span) {
        match self.srtt {
            None => {
                self.srtt = Some(rtt);
                self.rttvar = rtt / 2;
            }
            Some(srtt) => {
                let deviation = Span::from_nanos(srtt.as_nanos().abs_diff(rtt.as_nanos()));
                self.rttvar = (self.rttvar * 3 + deviation) / 4;
                self.srtt = Some((srtt * 7 + rtt) / 8);
            }
        }
        let raw = self.srtt.unwrap_or(rtt) + self.rttvar * 4;
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

    /// The retransmission timeout, back-off included.
    #[must_use]
    pub const fn rto(&self) -> Span {
        self.rto
    }

    /// Doubles the timeout, at most to RTO.Max (RFC 9260 §6.3.3 E2).
    pub fn back_off(&mut self) {
        self.rto = self.rto.saturating_mul(2).min(self.limits.max);
    }

    /// The limits that were given.
    #[must_use]
    pub const fn limits(&self) -> RtoLimits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNCLAMPED: RtoLimits =
        RtoLimits { initial: Span::from_secs(3), min: Span::ZERO, max: Span::from_secs(60) };

    #[test]
    fn three_samples_by_hand() {
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
    fn timeouts_double_up_to_the_maximum_until_a_sample_comes() {
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
}
